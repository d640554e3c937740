internal import LatchkeyEnclaveContract
internal import LatchkeyEncoding
internal import LatchkeyItemDatabase
internal import LatchkeyItemModel
internal import LatchkeyKeychainMessages
internal import LatchkeyKeychainService
internal import LatchkeySecretMemory
internal import LatchkeySyncCore
internal import LatchkeySyncIdentity
internal import LatchkeySyncStore

/// The circle of one device and its place. Used by one thread at a time.
final class CircleKeeper {
    let parts: CircleParts
    /// Nil while the device is in no circle, and while the exchange is paused.
    private(set) var engine: SyncEngine?
    private(set) var place: CirclePlaceSettings?
    /// The wish of this device to enter a circle.
    private(set) var joining: PendingJoin?
    var invitation: OpenInvitation?
    private(set) var isPaused = false
    private(set) var lastExchange: WallTime?
    private var isExchanging = false
    /// The device and the circle, also without an engine.
    private(set) var membership: (circle: CircleIdentifier?, device: DeviceIdentifier)?
    /// The reason why there is no engine although there is a circle.
    private(set) var trouble: CircleFailure?
    /// The last failure of the store while this device waits to be admitted.
    private(set) var joiningTrouble: CircleFailure?
    /// The alarms of the last engine, which stand during a pause.
    private(set) var restingAlarms: Set<SyncAlarm> = []
    /// The statements of the circle while there is no engine, once a report has asked for them.
    private var resting: SyncMembership?
    private var isOpened = false
    /// The uptime at which a circle that cannot be opened is tried again.
    private var retriesAt: UInt64?
    /// The store whose hints matter now.
    private var watched: WatchedStore?
    /// The counts of the engines before this one.
    private var formerRemoteChanges: UInt64 = 0
    private var formerProgress: UInt64 = 0

    private static let retryInterval = 5 * ReplicaLimits.minute

    init(_ parts: CircleParts) {
        self.parts = parts
    }

    // MARK: Opening

    /// Takes the circle as it is stored, if that was not done yet.
    func ensureOpen() {
        if !isOpened { open() }
    }

    /// Takes the circle as it is stored.
    /// - Parameter rests: false to exchange although there is a pause.
    func open(resting rests: Bool = true) {
        let alarms = engine?.alarms ?? restingAlarms
        close()
        restingAlarms = alarms
        isOpened = true
        do {
            let stored = try parts.items.read { reader in
                (
                    place: try CirclePlaceSettings(reader), joining: try PendingJoin(reader),
                    isPaused: try reader.flag(CircleValue.isPaused), device: try reader.syncDevice(),
                    founding: try reader.syncValue(named: CircleValue.founding)
                )
            }
            (place, joining, isPaused) = (stored.place, stored.joining, stored.isPaused && rests)
            guard let place else { return forgetStore() }
            if let device = stored.device.flatMap({ DeviceIdentifier($0) }) {
                let founding = stored.founding.flatMap { try? SignedStatement(parsing: $0).hash }
                let circle = founding.flatMap { CircleIdentifier($0.bytes.prefix(CircleIdentifier.byteCount)) }
                membership = (circle, device)
            }
            guard !isPaused else { return }
            if membership != nil {
                // A new identity of this device may wait to be admitted meanwhile.
                engine = try SyncEngine(try parts.sync(place))
                watched = engine.map { WatchedStore($0.store) }
            } else if let joining {
                watched = WatchedStore(try store(of: joining, place))
            }
        } catch {
            trouble = CircleFailure(error, place?.store)
            retriesAt = parts.uptime + Self.retryInterval
        }
    }

    private func forgetStore() {
        invitation = nil
        parts.host.release()
    }

    private func close() {
        if let engine {
            formerRemoteChanges += engine.remoteChanges
            formerProgress += engine.progress + 1
        }
        (engine, place, joining, trouble, joiningTrouble, watched) = (nil, nil, nil, nil, nil, nil)
        (membership, retriesAt, isPaused, isExchanging) = (nil, nil, false, false)
        (resting, restingAlarms) = (nil, [])
    }

    /// Returns the statements of the circle, for a report without an engine. Only an engine adds any, so they are verified once.
    func restingCircle() throws -> SyncMembership? {
        if resting == nil { resting = try parts.items.read { try SyncMembership($0) } }
        return resting
    }

    private func store(of joining: PendingJoin, _ place: CirclePlaceSettings) throws -> any SyncStore {
        try parts.sync(place).stores.store(
            of: joining.invitation.circle, writer: joining.record.publicKeys.identifier)
    }

    /// Takes a circle that this device has just founded or entered.
    func take(_ engine: SyncEngine, _ place: CirclePlaceSettings) {
        close()
        self.engine = engine
        self.place = place
        membership = (engine.circle, engine.device)
        watched = WatchedStore(engine.store)
    }

    /// Shows the wish to enter a circle to the store, and waits from now on for what comes of it.
    func await(_ joining: PendingJoin, _ place: CirclePlaceSettings) throws {
        try parts.items.write { writer in
            try joining.write(to: writer)
            try place.write(to: writer)
        }
        open()
        try store(of: joining, place).create([joining.name: joining.object])
        work(.hint)
    }

    /// Forgets the circle. The items stay.
    func forget() throws {
        let identity = try parts.items.read { try $0.syncValue(named: CircleValue.identity) }
        let joining = joining
        if let joining, let place { removeRequest(of: joining, place) }
        try parts.items.leaveCircle()
        for record in [identity.flatMap { IdentityRecord($0) }, joining?.record].compactMap({ $0 }) {
            // Left behind they can do nothing: no statement admits them any more.
            try? EnclaveIdentity(record, enclave: parts.enclave).delete()
        }
        close()
        forgetStore()
    }

    /// Goes on in another store.
    func move(to store: StoreAddress) throws {
        guard let place, let engine else { throw absence }
        let moved = CirclePlaceSettings(store: store, deviceName: place.deviceName)
        // A store that cannot be used is found out now. A circle that was copied there is the same one.
        do {
            _ = try parts.sync(moved).stores.store(of: engine.circle, writer: engine.device).list(.heads)
        } catch {
            // The transport goes back to the store that stays.
            open()
            throw CircleFailure(error, store)
        }
        endInvitation()
        try parts.items.write(moved.write)
        open()
        work(.hint)
        if case .refused? = engineTrouble, let failure = engineTrouble {
            try parts.items.write(place.write)
            open()
            throw CircleFailure(failure, store)
        }
    }

    private var engineTrouble: StoreFailure? { engine?.storeFailure }

    /// Removes the objects of the circle from the store.
    /// - Returns: the number of removed objects.
    func removeObjects() throws -> Int {
        guard let engine else { throw absence }
        var count = 0
        let writers = Set(engine.membership.members).union(engine.membership.departed.keys)
        var prefixes: [ObjectPrefix] = [.exchanges, .evidence, .heads]
        for writer in writers.sorted() {
            prefixes += ZoneClass.allCases.map { .segments(StreamIdentifier(writer, $0)) }
            prefixes.append(.snapshots(writer))
        }
        // The statements last: without them a device that starts again could not tell what is left.
        for prefix in prefixes + [.statements] {
            // A listing may be a part of all. A store that shows what was removed is not asked without end.
            var removed: [StoreObjectName] = []
            while case let names = try engine.store.list(prefix).names, !names.isEmpty, names != removed {
                try engine.store.remove(names)
                count += names.count
                removed = names
            }
        }
        return count
    }

    /// Removes a request from the store: a member must not approve a device that has stopped waiting.
    func removeRequest(of joining: PendingJoin, _ place: CirclePlaceSettings) {
        guard case .exchange = joining.name else { return }
        try? store(of: joining, place).remove([joining.name])
    }

    /// Gives up a wish to enter that can lead to nothing any more, with the keys of its identity.
    func discard(_ joining: PendingJoin, _ place: CirclePlaceSettings) {
        removeRequest(of: joining, place)
        try? EnclaveIdentity(joining.record, enclave: parts.enclave).delete()
    }

    /// Waits again for what comes of a former request, after another one in its place has failed.
    func goBack(to joining: PendingJoin) throws {
        try parts.items.write(joining.write)
        open()
    }

    /// Takes back the wish to enter a circle. A circle in which this device is stays.
    func takeBackJoining() throws {
        guard membership != nil else { return try forget() }
        try parts.items.write { writer in
            for name in PendingJoin.names { try writer.setSyncValue(nil, named: name) }
        }
        open()
    }

    func pause(_ pauses: Bool) throws {
        try parts.items.write { try $0.set(pauses, CircleValue.isPaused) }
        if pauses {
            endInvitation()
            parts.items.lend(nil, since: 0)
        }
        open()
    }

    // MARK: Working

    /// Does what the causes ask for, and what the time asks for.
    func work(_ causes: CircleCauses) {
        ensureOpen()
        endInvitationIfOver()
        if causes.contains(.keys) && isErased || retriesAt.map({ $0 <= parts.uptime }) ?? false { open() }
        if causes.contains(.hint) { enterIfAdmitted() }
        guard let engine else { return }
        engine.goOn()
        if causes.contains(.keys) { engine.lockStateChanged() }
        if let time = engine.wakesAt, time <= parts.uptime { engine.wake() }
        if causes.contains(.items) { engine.itemsChanged() }
        if causes.contains(.hint) {
            engine.isTakingPart ? engine.exchange() : engine.exchangeStatementsAlone()
            isExchanging = true
        }
        if isExchanging, !engine.hasLeftWork {
            isExchanging = false
            if engine.storeFailure == nil { lastExchange = parts.clock.wallTime() }
        }
        // A failure shows in the items that are left, and is tried again.
        if engine.isAskedToErase { try? parts.items.deleteSharedItems() }
    }

    /// True while there is work that was left because a caller waited for the circle.
    var hasLeftWork: Bool { engine?.hasLeftWork ?? false }

    /// The state that the threads and the callers see after every change.
    var state: CircleState {
        CircleState(
            progress: formerProgress + (engine?.progress ?? 0),
            remoteChanges: formerRemoteChanges + (engine?.remoteChanges ?? 0),
            isSettled: place == nil || engine?.isSettled ?? false,
            wakesAt: hasLeftWork ? 0 : [engine?.wakesAt, invitation?.endsAt, retriesAt].compactMap { $0 }.min(),
            watched: watched)
    }

    /// Enters the circle that this device waits for, if it has been admitted.
    private func enterIfAdmitted() {
        guard let joining, let place, !isPaused else { return }
        do {
            joiningTrouble = nil
            let store = try store(of: joining, place)
            // The store may have lost it, or this device crashed before it was there.
            do throws(StoreFailure) {
                try store.create([joining.name: joining.object])
            } catch {
                // Another device that has the same code may have asked meanwhile. Whom the member admits, the statements tell.
                guard case .taken = error else { throw error }
            }
            let statements = try CircleReader.statements(in: store)
            let known = joining.invitation
            if membership == nil {
                take(
                    try SyncEngine.enter(
                        try parts.sync(place), as: joining.record, statements, founding: known.founding,
                        knowing: known.statementHeads, admittedBy: joining.approver, storing: place.write), place)
            } else {
                take(
                    try SyncEngine.renew(
                        try parts.sync(place), as: joining.record, statements, knowing: known.statementHeads), place)
            }
            // The member removes it, too; this device may have written it again since.
            if case .exchange = joining.name { try? store.remove([joining.name]) }
        } catch SyncFailure.notAdmitted {
            return
        } catch {
            joiningTrouble = CircleFailure(error, place.store)
        }
    }

    /// True if the device was erased since the circle was opened.
    private var isErased: Bool {
        guard place != nil else { return false }
        do {
            return try parts.items.read { try CirclePlaceSettings($0) == nil }
        } catch {
            return false
        }
    }

    /// Ends an invitation whose time is over, also while nothing is exchanged: its end is a time at which the worker wakes.
    func endInvitationIfOver() {
        if let invitation, invitation.endsAt <= parts.uptime { endInvitation() }
    }

    func endInvitation() {
        guard let invitation else { return }
        self.invitation = nil
        // An object that stays in the store is useless without the code.
        try? engine?.store.remove(invitation.names)
    }

    // MARK: The passcode

    /// Calls `body` with a context in which the passcode is proved.
    func withPasscodeProved<R>(_ passcode: SecretBox?, _ body: (ContextIdentifier) throws -> R) throws -> R {
        guard let passcode else { throw CircleFailure(.syncNeedsPasscode) }
        guard case .opened(let context) = try parts.enclave.ask(OpenContext()) else { throw CircleFailure.locked }
        defer { _ = try? parts.enclave.ask(CloseContext(context)) }
        guard case .known = try parts.enclave.ask(OfferPasscode(passcode, to: context)) else {
            throw CircleFailure.locked
        }
        return try body(context)
    }
}

/// The reasons for which a circle has something to do.
struct CircleCauses: OptionSet, Sendable {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The enclave's keys have changed.
    static let keys = Self(rawValue: 1)
    /// Programs have changed shared items.
    static let items = Self(rawValue: 2)
    /// The store may have something new.
    static let hint = Self(rawValue: 4)
}
