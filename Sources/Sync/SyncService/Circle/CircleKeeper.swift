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
    /// Nil while the device is in no circle, the exchange is paused, or its store cannot be reached by any way.
    private(set) var engine: SyncEngine?
    private(set) var place: CirclePlaceSettings?
    /// The request of this device that waits for an answer.
    private(set) var joining: PendingJoin?
    var invitation: OpenInvitation?
    private(set) var isPaused = false
    private(set) var lastExchange: WallTime?
    /// The reason why there is no engine although there is a circle.
    private(set) var trouble: CircleFailure?
    /// The store whose hints matter now.
    private var watched: WatchedStore?
    /// The counts of the engines before this one.
    private var formerRemoteChanges: UInt64 = 0
    private var formerProgress: UInt64 = 0

    init(_ parts: CircleParts) {
        self.parts = parts
    }

    // MARK: Opening

    /// Takes the circle as it is stored.
    func open() {
        close()
        do {
            let stored = try parts.items.read { reader in
                (
                    place: try CirclePlaceSettings(reader), joining: try PendingJoin(reader),
                    isPaused: try reader.flag(CircleValue.isPaused), isMember: try reader.syncDevice() != nil
                )
            }
            (place, joining, isPaused) = (stored.place, stored.joining, stored.isPaused)
            guard !isPaused, let place else { return }
            if stored.isMember {
                engine = try SyncEngine(try parts.sync(place))
                watched = engine.map { WatchedStore($0.store) }
            } else if let joining {
                watched = WatchedStore(try store(of: joining, place))
            }
        } catch {
            trouble = CircleFailure(error, place?.store)
        }
    }

    private func close() {
        if let engine {
            formerRemoteChanges += engine.remoteChanges
            formerProgress += engine.progress + 1
        }
        (engine, place, joining, trouble, watched) = (nil, nil, nil, nil, nil)
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
        watched = WatchedStore(engine.store)
    }

    /// Waits from now on for the answer of a member.
    func await(_ joining: PendingJoin, _ place: CirclePlaceSettings) throws {
        try parts.items.write { writer in
            try joining.write(to: writer)
            try place.write(to: writer)
        }
        open()
    }

    /// Forgets the circle. The items stay.
    func forget() throws {
        let identity = try? parts.items.read { try $0.syncValue(named: CircleValue.identity) }
        let joining = joining
        try parts.items.leaveCircle()
        for record in [identity.flatMap { $0 }.flatMap { IdentityRecord($0) }, joining?.record].compactMap({ $0 }) {
            // Left behind they can do nothing: no statement admits them any more.
            try? EnclaveIdentity(record, enclave: parts.enclave).delete()
        }
        close()
        invitation = nil
        parts.host.release()
    }

    func pause(_ pauses: Bool) throws {
        try parts.items.write { try $0.set(pauses, CircleValue.isPaused) }
        if pauses { parts.items.lend(nil, since: 0) }
        open()
    }

    // MARK: Working

    /// Does what the causes ask for, and what the time asks for.
    func work(_ causes: CircleCauses) {
        if engine == nil, trouble != nil { open() }
        if causes.contains(.hint) { enterIfAdmitted() }
        guard let engine else { return }
        if causes.contains(.keys) { engine.lockStateChanged() }
        if let time = engine.wakesAt, time <= engine.parts.uptime { engine.wake() }
        if causes.contains(.items) { engine.itemsChanged() }
        if causes.contains(.hint) { engine.exchange() }
        if engine.storeFailure == nil { lastExchange = parts.clock.wallTime() }
        if let invitation, invitation.endsAt <= engine.parts.uptime { endInvitation() }
        eraseIfAsked()
    }

    /// What others have to know after every change.
    var state: CircleState {
        CircleState(
            progress: formerProgress + (engine?.progress ?? 0),
            remoteChanges: formerRemoteChanges + (engine?.remoteChanges ?? 0),
            isSettled: engine?.isSettled ?? (joining == nil && trouble == nil),
            wakesAt: [engine?.wakesAt, invitation?.endsAt].compactMap { $0 }.min(), watched: watched)
    }

    /// Enters the circle that this device waits for, if a member has admitted it.
    private func enterIfAdmitted() {
        guard let joining, let place, !isPaused else { return }
        do {
            let statements = try CircleReader.statements(in: try store(of: joining, place))
            let engine = try SyncEngine.enter(
                try parts.sync(place), as: joining.record, statements, founding: joining.invitation.founding,
                knowing: joining.invitation.statementHeads, storing: place.write)
            take(engine, place)
        } catch SyncFailure.notAdmitted {
            trouble = nil
        } catch {
            trouble = CircleFailure(error, place.store)
        }
    }

    func endInvitation() {
        guard let invitation else { return }
        self.invitation = nil
        // What stays in the store says nothing to anyone without the code.
        try? engine?.store.remove(invitation.names)
    }

    /// Deletes what this device has of a circle from which it was removed with that wish.
    private func eraseIfAsked() {
        guard let engine, engine.isAskedToErase else { return }
        try? engine.deleteSharedItems()
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
