import LatchkeyAccessControl
import LatchkeyAuditLog
package import LatchkeyCodeSignature
package import LatchkeyCryptoSuite
package import LatchkeyEnclaveContract
package import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
package import LatchkeyKeychainMessages
package import LatchkeyThreading
import Synchronization

/// The keychain of a device. It decides for each call whether the caller may make it, passes it to the component that
/// performs it, and keeps the reason of every refusal.
///
/// It does not hold class keys: it asks the enclave for the key of each secret, and caches metadata keys while they may
/// be used. Safe to call from many threads.
package final class KeychainService: Sendable {
    /// The maximum size of an item's data. The transport has the same limit.
    package static let dataByteLimit = 16 << 20

    let enclave: any EnclaveMailbox
    let store: ItemStore
    let keys: ProtectionKeys
    let itemKeys: ItemKeyPool
    let enclaveKeys: EnclaveKeyVault
    let ended: EndedItems
    let finder: ItemFinder
    let endings: ItemEndings
    let binder: RowBinder
    let records: CallRecords
    /// The prompts that wait for a program to show them.
    package let prompts: PromptDesk
    let authentication: AuthenticationBroker
    let events: EventDesk
    let keyChanges: KeyChanges
    let erasure: EraseWatch
    let failures: CallFailures
    let items: ItemDesk
    let programs: ProgramDesk
    let device: DeviceDesk

    /// - Parameters:
    ///   - directory: the device directory; its subdirectory `keychain` must exist and belong to this user alone.
    ///   - kind: "daemon" or "embedded", for the status.
    ///   - ownersToolPath: the path of the owner's tool, for texts.
    ///   - isFileGone: returns true if the file of a program no longer exists at a path: advice does not name it then.
    ///   - unprovenOwner: the programs that may change the device while it has no passcode.
    package init(
        directory: String, enclave: any EnclaveMailbox, clock: any DeviceClock, entropy: any Entropy, kind: String,
        ownersToolPath: String? = nil, isFileGone: @escaping @Sendable (String) -> Bool = { _ in false },
        unprovenOwner: UnprovenOwner = .anyProgram
    ) throws(KeychainOpenFailure) {
        self.enclave = enclave
        let epoch = enclave.keyEpoch
        let isBehindDaemon = kind != "embedded"
        let toolFile = ToolFile(path: ownersToolPath, isFileGone: isFileGone)
        store = try ItemStore(directory: directory + "/keychain", clock: clock)
        keys = ProtectionKeys(enclave: enclave, store: store)
        itemKeys = ItemKeyPool(enclave: enclave)
        let sealing = RowSealing(keys: keys, entropy: entropy)
        enclaveKeys = EnclaveKeyVault(enclave: enclave, sealing: sealing)
        ended = EndedItems(store: store, keys: keys)
        finder = ItemFinder(store: store, enclaveKeys: enclaveKeys, ended: ended)
        let passcodeItems = PasscodeItems(store: store, enclaveKeys: enclaveKeys)
        let vault = ItemVault(
            store: store,
            sealer: ItemSealer(store: store, sealing: sealing, itemKeys: itemKeys, passcodeItems: passcodeItems),
            places: ItemPlaces(enclaveKeys: enclaveKeys, ended: ended, passcodeItems: passcodeItems),
            enclaveKeys: enclaveKeys, ended: ended)
        endings = ItemEndings(store: store, enclaveKeys: enclaveKeys, passcodeItems: passcodeItems)
        binder = RowBinder(store: store, keys: keys, sealing: sealing)
        records = CallRecords(directory: directory + "/keychain", clock: clock, enclave: enclave)
        let teams = TeamRegistry(store: store, clock: clock)
        let apps = AppRegistry(store: store, clock: clock)
        let owners = OwnersRegistry(store: store)
        let homes = OwnersHomes(store: store, owners: owners)
        let otherHomes = OtherHomes(homes: homes, toolFile: toolFile, isBehindDaemon: isBehindDaemon, clock: clock)
        let demands = GroupDemands(store: store)
        prompts = PromptDesk(requiredLevel: { [teams] in teams.requiredLevel })
        authentication = AuthenticationBroker(
            enclave: enclave, desk: prompts, turns: Turns(), teamName: { [teams] in teams.name(of: $0) })
        let mover = ItemMover(store: store, vault: vault, homes: homes, authentication: authentication)
        events = EventDesk(enclave: enclave)
        keyChanges = KeyChanges(
            enclave: enclave, since: epoch, followers: [keys, itemKeys, binder, mover], events: events)
        erasure = EraseWatch(
            enclave: enclave, store: store, keys: keyChanges, caches: [teams, apps, owners, demands, homes])
        failures = CallFailures(
            records: records, store: store, erasure: erasure, isBehindDaemon: isBehindDaemon)
        let access = OwnersAccess(
            enclave: enclave, store: store, demands: demands, erasure: erasure, records: records)
        items = ItemDesk(
            callers: ItemCallers(owners: owners, mover: mover, access: access), vault: vault, finder: finder,
            authentication: authentication, outcomes: ItemOutcomes(failures: failures, otherHomes: otherHomes))
        let authority = OwnersAuthority(
            enclave: enclave, unprovenOwner: unprovenOwner, erasure: erasure, failures: failures)
        let registry = ProgramRegistry(teams: teams, apps: apps, demands: demands, enclaveKeys: enclaveKeys)
        programs = ProgramDesk(registry: registry, authority: authority, failures: failures)
        let enclaveDesk = EnclaveDesk(
            enclave: enclave, endings: EndingWatch(enclave: enclave, endings: endings), keys: keyChanges,
            erasure: erasure)
        let tools = OwnersTools(enclave: enclave, toolFile: toolFile, owners: owners, homes: homes, mover: mover)
        device = DeviceDesk(
            rooms: DeviceRooms(
                report: DeviceReport(
                    kind: kind, directory: directory, enclave: enclaveDesk, store: store, programs: registry,
                    records: records),
                enclave: enclaveDesk, programs: programs,
                owner: OwnersDesk(tools: tools, authority: authority, failures: failures),
                endings: EndingDesk(endings: endings, ended: ended, failures: failures)),
            owners: owners, authority: authority, records: records)
        try erasure.finishInterruptedErase()
        binder.start()
        endings.endLeftPasscodeItems()
    }

    /// Performs one of the four `SecItem` calls, made by `caller`. Blocks while the user is prompted.
    ///
    /// - Parameter session: the session of the connection of the call. A call that names it
    ///   (``ItemRequest/interaction``) uses its evidence. Any other call has a context of its own, which ends with the
    ///   call.
    package func perform(_ request: ItemRequest, caller: Caller, session: ServiceSession? = nil) -> ItemReply {
        items.perform(request, caller: caller, session: session)
    }

    /// Answers a question about the device. Records the outcome in the audit log if the question is audited.
    ///
    /// - Parameter session: the session of the question's connection.
    @discardableResult
    package func ask<Question: DeviceQuestion>(
        _ question: Question, caller: Caller, session: ServiceSession? = nil
    ) throws(DeviceRefusal) -> Question.Answer {
        try device.ask(question, caller: caller, session: session)
    }

    @discardableResult
    package func ask<Question: ForwardedQuestion>(
        _ question: Question, caller: Caller, session: ServiceSession? = nil
    ) throws(DeviceRefusal) -> Question.Answer {
        try ask(Forwarded(question), caller: caller, session: session)
    }

    /// The verdict of this device on a team's key now. It is read from memory, so that connections stay cheap.
    package func verdict(on key: TeamPublicKey) -> TeamVerdict {
        programs.registry.teams.verdict(on: key)
    }

    /// Has another value whenever a verdict may have changed, by a change of trust or because time passed. Read it
    /// before the verdict that it is kept with.
    package var teamTrustEpoch: UInt64 { programs.registry.teams.epoch }

    /// The weakest assurance level at which the device serves a program. A change counts as one of trust.
    package var requiredLevel: AssuranceLevel { programs.registry.teams.requiredLevel }

    /// Remembers a program that was let in. Writes only what is new, or once a day. A device that cannot write now
    /// serves the program all the same.
    /// - Parameter level: the level that the program demands for itself.
    package func noteApplication(_ app: SeenApplication, demanding level: AssuranceLevel? = nil) {
        programs.note(app, demanding: level)
    }

    /// Handles loaded or removed keys: nothing of an earlier epoch may stay in memory.
    package func keysChanged() {
        keyChanges.keysChanged()
    }

    /// The watchers of lock and unlock.
    package var protectedData: ProtectedDataDesk { events.watchers }

    /// Returns the next lock or unlock after one. Blocks until there is one or the cancellation is over.
    package func perform(
        _ request: EventRequest, caller: Caller, until cancellation: Cancellation
    ) -> EventReply {
        events.perform(request, caller: caller, until: cancellation)
    }

    /// Follows the device in this process.
    package func watchProtectedData(_ caller: Caller) -> any ProtectedDataWatch {
        events.watch(for: caller)
    }

    /// Writes the audit log once a second, for the thread that calls it. Without such a thread calls write it themselves.
    package func runAuditWriter() {
        records.audit.runWriter()
    }

    /// Seals rows of older formats again as far as their classes are available. This also happens whenever keys are
    /// loaded.
    /// - Returns: the number of rows that were sealed.
    @discardableResult
    package func bindOldRows() -> Int { binder.bindRows() }

    /// Deletes every item of the groups without tombstones (the removal of an app). Enclave keys end with their items.
    /// - Returns: the number of rows.
    package func deleteItems(inAccessGroups groups: [String]) throws(CallFailure) -> Int {
        try items.deleteItems(inAccessGroups: groups)
    }

    package func close() {
        binder.close()
        events.close()
        records.audit.close()
        store.database.close()
    }

    /// Returns the failure that the program is told if a setback ends its call.
    func failure(_ setback: Setback) -> CallFailure { failures.failure(setback) }

    /// Handles a refusal of a passcode: the tenth failed try may have erased the device.
    func noticeErase(_ refusal: EnclaveRefusal) { erasure.notice(refusal) }
}
