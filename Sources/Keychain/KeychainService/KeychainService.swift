import LatchkeyAccessControl
import LatchkeyAuditLog
package import LatchkeyCryptoSuite
package import LatchkeyEnclaveCore
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
package import LatchkeyKeychainMessages
import Synchronization

/// The keychain of a device: takes each call, finds out who may do it, hands it to the room that performs it, and keeps the
/// reason of every refusal.
///
/// Holds no class key: it asks the enclave for the key of each secret, and keeps metadata keys while they may be used.
/// Safe to call from many threads.
package final class KeychainService: Sendable {
    /// What one item may hold; the transport carries no more either.
    package static let dataByteLimit = 16 << 20

    let enclave: any EnclaveMailbox
    let clock: any DeviceClock
    let store: ItemStore
    let keys: ProtectionKeys
    let itemKeys: ItemKeyPool
    let enclaveKeys: EnclaveKeyVault
    let ended: EndedItems
    let finder: ItemFinder
    let vault: ItemVault
    let endings: ItemEndings
    let binder: RowBinder
    let records: CallRecords
    let teams: TeamRegistry
    let apps: AppRegistry
    let owners: OwnersRegistry
    let mover: ItemMover
    let homes: OwnersHomes
    let otherHomes: OtherHomes
    let toolFile: ToolFile
    let demands: GroupDemands
    /// The prompts that wait for a program that shows them.
    package let prompts: PromptDesk
    let authentication: AuthenticationBroker
    /// The set of fingers before the enrolment that is under way.
    let formerFingers = Mutex<EnrolmentSet?>(nil)
    /// The watchers of lock and unlock.
    package let protectedData = ProtectedDataDesk()
    let kind: String
    let directory: String
    let unprovenOwner: UnprovenOwner
    /// Held from the look at the passcode to the end of what it decides about.
    let ownersTurn = Mutex(())
    /// The epoch of the enclave's keys that this service was last told of.
    private let servedEpoch: Mutex<UInt64>

    /// - Parameters:
    ///   - directory: the device directory; its subdirectory `keychain` must exist and belong to this user alone.
    ///   - kind: "daemon" or "embedded", for the status.
    ///   - ownersToolPath: where the owner's tool lies, for people.
    ///   - isFileGone: whether there is no file at the path of a program any more: no advice names it then.
    ///   - unprovenOwner: the programs that may change the device while it has no passcode.
    package init(
        directory: String, enclave: any EnclaveMailbox, clock: any DeviceClock, entropy: any Entropy, kind: String,
        ownersToolPath: String? = nil, isFileGone: @escaping @Sendable (String) -> Bool = { _ in false },
        unprovenOwner: UnprovenOwner = .anyProgram
    ) throws(KeychainOpenFailure) {
        self.unprovenOwner = unprovenOwner
        self.directory = directory
        self.enclave = enclave
        servedEpoch = Mutex(enclave.keyEpoch)
        self.clock = clock
        self.kind = kind
        toolFile = ToolFile(path: ownersToolPath, isFileGone: isFileGone)
        store = try ItemStore(directory: directory + "/keychain", clock: clock)
        keys = ProtectionKeys(enclave: enclave, store: store)
        itemKeys = ItemKeyPool(enclave: enclave)
        let sealing = RowSealing(keys: keys, entropy: entropy)
        enclaveKeys = EnclaveKeyVault(enclave: enclave, sealing: sealing)
        ended = EndedItems(store: store, keys: keys)
        finder = ItemFinder(store: store, enclaveKeys: enclaveKeys, ended: ended)
        let passcodeItems = PasscodeItems(store: store, enclaveKeys: enclaveKeys)
        vault = ItemVault(
            store: store,
            sealer: ItemSealer(store: store, sealing: sealing, itemKeys: itemKeys, passcodeItems: passcodeItems),
            places: ItemPlaces(enclaveKeys: enclaveKeys, ended: ended, passcodeItems: passcodeItems),
            enclaveKeys: enclaveKeys, ended: ended)
        endings = ItemEndings(store: store, enclaveKeys: enclaveKeys, passcodeItems: passcodeItems)
        binder = RowBinder(store: store, keys: keys, sealing: sealing)
        records = CallRecords(directory: directory + "/keychain", clock: clock)
        teams = TeamRegistry(store: store, clock: clock)
        apps = AppRegistry(store: store, clock: clock)
        owners = OwnersRegistry(store: store)
        homes = OwnersHomes(store: store, owners: owners)
        otherHomes = OtherHomes(homes: homes, toolFile: toolFile, isBehindDaemon: kind != "embedded")
        demands = GroupDemands(store: store)
        prompts = PromptDesk(requiredLevel: { [teams] in teams.requiredLevel })
        authentication = AuthenticationBroker(
            enclave: enclave, desk: prompts, turns: Turns(), teamName: { [teams] in teams.name(of: $0) })
        mover = ItemMover(store: store, vault: vault, homes: homes, authentication: authentication)
        try finishInterruptedErase()
        binder.start()
        endings.endLeftPasscodeItems()
    }

    /// One of the four `SecItem` calls, made by `caller`. Blocks as long as a person is asked.
    ///
    /// - Parameter session: of the connection that the call came over. A call that names it (``ItemRequest/interaction``)
    ///   uses what was proved to it; any other call has a context of its own, which ends with it.
    package func perform(_ request: ItemRequest, caller: Caller, session: ServiceSession? = nil) -> ItemReply {
        let caller = owners.withOwnersGroups(caller)
        let reply = answer(request, caller, session)
        putOnRecord(request, caller, reply)
        return reply
    }

    private func answer(_ request: ItemRequest, _ caller: Caller, _ session: ServiceSession?) -> ItemReply {
        do throws(Setback) {
            if caller.isOwnersTool { mover.settleItems(of: caller) }
            var caller = caller
            if let owner = request.owner { caller = try ownersCaller(owner, request, caller) }
            try GroupChoice.checkCaller(caller)
            let call = try GuardedCall(request.interaction, caller, session, enclave)
            return try authentication.inRounds(call) { () throws(Setback) in try answer(request, call) }
        } catch {
            return reply(to: failure(error), request, caller)
        }
    }

    private func answer(_ request: ItemRequest, _ call: GuardedCall) throws(Setback) -> ItemReply {
        switch request.operation {
        case .add: try vault.add(request, call)
        case .find: try finder.find(request, call)
        case .update: try vault.update(request, call)
        case .delete: try vault.delete(request, call)
        }
    }

    /// Keys came or went: nothing of a former epoch may stay in memory.
    package func keysChanged() {
        let epoch = enclave.keyEpoch
        keys.dropOutdated()
        itemKeys.dropOutdated()
        binder.start()
        mover.forgetSettled()
        servedEpoch.withLock { $0 = epoch }
        protectedData.lockStateMayHaveChanged { protectedDataState }
    }

    /// The enclave did what may have changed its keys. Costs next to nothing where it did not: any program can ask for
    /// that.
    func keysMayHaveChanged() {
        let epoch = enclave.keyEpoch
        if servedEpoch.withLock({ $0 != epoch }) { return keysChanged() }
        // A grace period may have begun or ended, which changes no key.
        protectedData.lockStateMayHaveChanged { protectedDataState }
    }

    /// Seals rows of older formats anew as far as their classes are open; done by itself whenever keys come.
    /// - Returns: the number of rows that were sealed.
    @discardableResult
    package func bindOldRows() -> Int { binder.bindRows() }

    /// Deletes every item of the groups and leaves no tombstones (the removal of an app). Keys of the enclave end with their
    /// items.
    /// - Returns: the number of rows.
    package func deleteItems(inAccessGroups groups: [String]) throws(CallFailure) -> Int {
        do throws(Setback) {
            let searchKey = try keys.searchKey()
            return try store.write { [self] writer in
                try enclaveKeys.deleteKeys(inAccessGroups: groups, searchKey, writer)
                return try writer.deleteRows(inAccessGroups: groups)
            }
        } catch {
            throw failure(error)
        }
    }

    package func close() {
        binder.close()
        protectedData.close()
        records.audit.close()
        store.database.close()
    }

    /// The failure that the program is told where a setback ends its call.
    func failure(_ setback: Setback) -> CallFailure {
        if case .authentication(let failure) = setback, failure.hasErasedDevice { noticeErase(.erased) }
        store.noticeDamage(setback)
        let failure = CallFailure(setback)
        return kind == "embedded" ? failure.withoutDaemon : failure
    }

    func failure(_ error: any Error) -> CallFailure { failure(Setback(error)) }

    private func reply(to failure: CallFailure, _ request: ItemRequest, _ caller: Caller) -> ItemReply {
        if failure.code == .itemNotFound, failure.refusal == nil, request.owner == nil, request.operation != .add,
            let refusal = otherHomes.refusalOfMissing(caller)
        {
            if otherHomes.isDue(for: caller, uptime: clock.uptime()) {
                records.explain(
                    request.outcome(failure.code, refusal), lockState: lockStateName(), to: caller)
            }
            return ItemReply(code: failure.code, refusal: refusal, affectedRows: failure.leftOut)
        }
        if let refusal = failure.refusal {
            records.explain(request.outcome(failure.code, refusal), lockState: lockStateName(), to: caller)
        }
        return ItemReply(code: failure.code, refusal: failure.refusal, affectedRows: failure.leftOut)
    }

    func lockStateName() -> String {
        guard let status = try? enclave.ask(AskStatus()) else { return "unknown" }
        return status.lockState.rawValue
    }
}
