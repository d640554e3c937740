import LatchkeyAuditLog
package import LatchkeyCodeSignature
package import LatchkeyCryptoSuite
package import LatchkeyEnclaveContract
package import LatchkeyEncoding
import LatchkeyItemDatabase
package import LatchkeyKeychainMessages
package import LatchkeyThreading

/// The keychain of a device. It decides for each call whether the caller may make it, performs it, and keeps the reason
/// of every refusal. All this is done at the desks that it hands each call to; ``KeychainParts`` connects them.
///
/// It does not hold class keys: it asks the enclave for the key of each secret, and caches metadata keys while they may
/// be used. Safe to call from many threads.
package final class KeychainService: Sendable {
    /// The maximum size of an item's data. The transport has the same limit.
    package static let dataByteLimit = 16 << 20

    let items: ItemDesk
    let keys: KeyDesk
    let files: FileDesk
    let person: PersonDesk
    let programs: ProgramDesk
    let device: DeviceDesk
    let events: EventDesk
    /// The prompts that wait for a program to show them.
    package let prompts: PromptRouter
    let records: CallRecords
    let keyChanges: KeyChanges
    let store: ItemStore
    let binder: RowBinder
    /// The items that this device shares with the others of its circle.
    package let shared: SharedItems
    /// Where the part that exchanges items with the circle is reached.
    package let circle: CirclePlace

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
        let parts = try KeychainParts(
            kind: kind, directory: directory, enclave: enclave, clock: clock, entropy: entropy,
            toolFile: ToolFile(path: ownersToolPath, isFileGone: isFileGone), unprovenOwner: unprovenOwner)
        items = parts.itemDesk()
        keys = parts.keyDesk()
        files = parts.fileDesk()
        person = parts.personDesk()
        programs = parts.programDesk()
        device = parts.deviceDesk()
        events = parts.events
        prompts = parts.prompts
        records = parts.failures.records
        keyChanges = parts.keyChanges
        store = parts.items.store
        binder = parts.items.binder
        shared = parts.items.shared
        circle = parts.circlePlace
        try parts.failures.erasure.finishInterruptedErase()
        binder.start()
        parts.items.endings.endLeftPasscodeItems()
    }

    /// Performs one of the four `SecItem` calls, made by `caller`. Blocks while the user is prompted.
    ///
    /// - Parameter session: the session of the connection of the call. A call that names it
    ///   (``ItemRequest/interaction``) uses its evidence. Any other call has a context of its own, which ends with the
    ///   call.
    package func perform(_ request: ItemRequest, caller: Caller, session: ServiceSession? = nil) -> ItemReply {
        items.perform(request, caller: caller, session: session).reply
    }

    /// Performs a find whose answer may be larger than one message.
    ///
    /// - Parameter deliver: takes the parts before the last one, in their order, before this returns.
    /// - Returns: the last part; the only one of an answer that fits into one message, or of a refusal.
    package func find(
        _ request: ItemRequest, caller: Caller, session: ServiceSession? = nil, deliver: @escaping PartDelivery
    ) -> ItemReplyPart {
        items.perform(request, caller: caller, session: session, deliver: deliver)
    }

    /// Answers a question about an enclave key. Blocks while the user is prompted.
    ///
    /// - Parameter session: the session of the question's connection, as for items.
    package func ask<Question: KeyQuestion>(
        _ question: Question, caller: Caller, session: ServiceSession? = nil
    ) throws(EnclaveKeyRefusal) -> Question.Answer {
        try keys.ask(question, caller: caller, session: session)
    }

    /// Answers a question about the keys of protected files. Never prompts.
    package func ask<Question: FileKeyQuestion>(
        _ question: Question, caller: Caller
    ) throws(FileKeyRefusal) -> Question.Answer {
        try files.ask(question, caller: caller)
    }

    /// Answers a question of an `LAContext`. Blocks while the user is prompted. Records the outcome of an evaluation.
    ///
    /// - Parameter session: the session of the context.
    @discardableResult
    package func ask<Question: AuthenticationQuestion>(
        _ question: Question, caller: Caller, session: ServiceSession
    ) throws(AuthenticationRefusal) -> Question.Answer {
        try person.ask(question, caller: caller, session: session)
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

    /// The team that has an alias now, from memory as well.
    package func team(of alias: TeamAlias) -> TeamIdentifier? {
        programs.registry.teams.team(of: alias)
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
    package func ask(
        _ question: AwaitEvent, caller: Caller, until cancellation: Cancellation
    ) throws(WatchEnded) -> ProtectedDataEvent {
        try events.ask(question, caller: caller, until: cancellation)
    }

    /// Follows the device in this process.
    package func watchProtectedData(_ caller: Caller) -> any ProtectedDataWatch {
        events.watch(for: caller)
    }

    /// The watchers of items.
    package var itemChanges: ItemChangeDesk { events.items }

    /// Returns the count of the changes of items that the caller may read, as soon as it differs from the known one. Blocks until then,
    /// or until the cancellation is over.
    /// - Parameter pace: that of the connection.
    package func ask(
        _ question: AwaitItemChange, caller: Caller, pace: inout ItemChangePace, until cancellation: Cancellation
    ) throws(ItemWatchEnded) -> ItemChangeCount {
        let trust = teamTrustEpoch
        let count = try events.ask(question, caller: caller, pace: &pace, until: cancellation)
        // The caller may have lost its groups meanwhile. It asks again, and its rights are looked at again.
        return teamTrustEpoch == trust ? count : question.known ?? count
    }

    /// Follows the items in this process.
    package func watchItems(_ caller: Caller) -> any ItemWatch {
        events.watchItems(for: caller)
    }

    /// Writes the audit log once a second, for the thread that calls it. Without such a thread calls write it themselves.
    package func runAuditWriter() {
        records.audit.runWriter()
    }

    /// Writes the calls of the last second that wait for the audit log, at the end of the process.
    package func flushAuditAtExit() {
        records.audit.flushIfFree()
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
}
