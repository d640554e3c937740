internal import LatchkeyItemDatabase
internal import LatchkeyKeychainMessages
internal import LatchkeySyncCore
internal import LatchkeySyncIdentity

/// What the daemon stores about the circle beside the tables of the replica, in `syncvalues`.
extension CircleValue {
    /// The text of the store.
    static let store = "store"
    static let deviceName = "device-name"
    static let isPaused = "is-paused"
    /// The invitation that this device has answered, and the identity with which it did: before the admission.
    static let invitation = "invitation"
    static let joiningIdentity = "joining-identity"
}

extension CirclePlaceSettings {
    init?(_ reader: ItemReader) throws {
        guard let store = try reader.syncText(CircleValue.store).flatMap({ StoreAddress($0) }),
            let name = try reader.syncText(CircleValue.deviceName)
        else { return nil }
        self.init(store: store, deviceName: name)
    }

    func write(to writer: ItemWriter) throws {
        try writer.setSyncValue(Array(store.description.utf8), named: CircleValue.store)
        try writer.setSyncValue(Array(deviceName.utf8), named: CircleValue.deviceName)
    }
}

/// A request of this device to be admitted, which no member has answered yet.
struct PendingJoin: Sendable {
    let invitation: Invitation
    let record: IdentityRecord

    init(_ invitation: Invitation, _ record: IdentityRecord) {
        self.invitation = invitation
        self.record = record
    }

    init?(_ reader: ItemReader) throws {
        guard let bytes = try reader.syncValue(named: CircleValue.invitation),
            let identity = try reader.syncValue(named: CircleValue.joiningIdentity)
        else { return nil }
        guard let record = IdentityRecord(identity) else { throw DamagedTable(table: "syncvalues") }
        invitation = try Invitation(parsing: AuthenticatedObject(parsing: bytes).content)
        self.record = record
    }

    func write(to writer: ItemWriter) throws {
        let object = AuthenticatedObject(try invitation.content(), code: nil)
        try writer.setSyncValue(try object.bytes(), named: CircleValue.invitation)
        try writer.setSyncValue(record.bytes, named: CircleValue.joiningIdentity)
    }
}

extension ItemReader {
    func syncText(_ name: String) throws -> String? {
        try syncValue(named: name).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
