internal import LatchkeyCryptoSuite
internal import LatchkeyEncoding
internal import LatchkeyKeychainMessages
internal import LatchkeySyncCore
internal import LatchkeySyncKeys
internal import LatchkeySyncStore

/// The invitation that this device has written, with the keys of its code. It ends with the daemon.
struct OpenInvitation: Sendable {
    /// The time for which an invitation is valid, by the uptime of the member.
    static let lifetime = ReplicaLimits.day
    /// The invalid requests after which it ends.
    private static let failureLimit = 5

    let keys: InvitationKeys
    let invitation: Invitation
    /// The uptime at which it ends, in microseconds.
    let endsAt: UInt64
    private var failures: Set<ObjectHash> = []

    init(_ code: InvitationCode, _ invitation: Invitation, at uptime: UInt64) {
        keys = InvitationKeys(code)
        self.invitation = invitation
        endsAt = uptime + Self.lifetime
    }

    var isUsedUp: Bool { failures.count >= Self.failureLimit }

    /// The wall time at which it ends, unless the clock is set.
    func expires(by clock: any LatchkeyEncoding.DeviceClock) -> WallTime {
        let now = Moment(of: clock)
        return WallTime(microsecondsSince2001: Int64(clamping: now.wallClock + endsAt - min(endsAt, now.uptime)))
    }

    var names: [StoreObjectName] {
        [keys.invitationName, keys.requestName].compactMap { ExchangeName($0).map(StoreObjectName.exchange) }
    }

    /// Writes the invitation for the device that has the code.
    func write(to store: any SyncStore) throws {
        guard let name = ExchangeName(keys.invitationName) else { return }
        try store.create([.exchange(name): try keys.member.authenticated(invitation.content())])
    }

    /// Returns the request of the device that has the code; nil if there is none yet.
    mutating func request(in store: any SyncStore) throws -> (request: JoinRequest, device: DeviceDescription)? {
        guard let name = ExchangeName(keys.requestName).map(StoreObjectName.exchange),
            let bytes = try store.readAll([name]).objects[name]
        else { return nil }
        guard let content = keys.joiner.content(of: bytes), let request = try? JoinRequest(parsing: content),
            request.circle == invitation.circle, let device = keys.opened(request.label)
        else {
            // The store may show one wrong object again and again; each counts once.
            if let hash = ObjectHash(sha256(bytes)) { failures.insert(hash) }
            return nil
        }
        return (request, device)
    }
}

extension InvitationCodeKey {
    /// The bytes of an object that the code authenticates.
    func authenticated(_ content: ObjectContent) throws(StatementFailure) -> [UInt8] {
        try AuthenticatedObject(content, code: AuthenticationCode(code(over: content.signedBytes))).bytes()
    }

    /// Returns the content of an object that the code authenticates; nil for others.
    func content(of bytes: [UInt8]) -> ObjectContent? {
        guard let object = try? AuthenticatedObject(parsing: bytes), let code = object.code,
            isCode(code.bytes, over: object.content.signedBytes)
        else { return nil }
        return object.content
    }
}
