internal import LatchkeyItemDatabase
internal import LatchkeyKeychainMessages
internal import LatchkeySyncCore
internal import LatchkeySyncIdentity
internal import LatchkeySyncStore

/// Names of values that the daemon stores about the circle beside the tables of the replica, in `syncvalues`.
extension CircleValue {
    /// The text of the store.
    static let store = "store"
    static let deviceName = "device-name"
    static let isPaused = "is-paused"
    /// The invitation that this device has answered, and the identity with which it did: before the admission.
    static let invitation = "invitation"
    static let joiningIdentity = "joining-identity"
    /// The object with which it wants to enter, and its name in the store.
    static let joiningName = "joining-name"
    static let joiningObject = "joining-object"
    /// The member that has to admit it, if it asks without a code.
    static let joiningApprover = "joining-approver"
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

/// The wish of this device to enter a circle: a request that a member has to answer, or an admission by the recovery code.
///
/// It is stored before it is shown to the store: after a crash the same bytes are written again.
struct PendingJoin: Sendable {
    /// The circle, and what the store has to show of it.
    let invitation: Invitation
    let record: IdentityRecord
    let name: StoreObjectName
    /// The request, or the statement.
    let object: [UInt8]
    /// The member that has to sign the admission. Nil if a code proves the circle and its state.
    let approver: DeviceIdentifier?

    /// The values in which it is stored.
    static let names = [
        CircleValue.invitation, CircleValue.joiningIdentity, CircleValue.joiningName, CircleValue.joiningObject,
        CircleValue.joiningApprover,
    ]

    init?(_ reader: ItemReader) throws {
        guard let bytes = try reader.syncValue(named: CircleValue.invitation),
            let identity = try reader.syncValue(named: CircleValue.joiningIdentity)
        else { return nil }
        guard let record = IdentityRecord(identity),
            let name = try reader.syncText(CircleValue.joiningName).flatMap({ StoreObjectName($0) }),
            let object = try reader.syncValue(named: CircleValue.joiningObject)
        else { throw DamagedTable(table: "syncvalues") }
        invitation = try Invitation(parsing: AuthenticatedObject(parsing: bytes).content)
        self.record = record
        self.name = name
        self.object = object
        approver = try reader.syncValue(named: CircleValue.joiningApprover).map { bytes in
            // Damaged it must not count as missing: then any admission would do.
            guard let approver = DeviceIdentifier(bytes) else { throw DamagedTable(table: "syncvalues") }
            return approver
        }
    }

    init(
        _ invitation: Invitation, _ record: IdentityRecord, _ name: StoreObjectName, _ object: [UInt8],
        approver: DeviceIdentifier? = nil
    ) {
        self.invitation = invitation
        self.record = record
        self.name = name
        self.object = object
        self.approver = approver
    }

    func write(to writer: ItemWriter) throws {
        let content = AuthenticatedObject(try invitation.content(), code: nil)
        try writer.setSyncValue(try content.bytes(), named: CircleValue.invitation)
        try writer.setSyncValue(record.bytes, named: CircleValue.joiningIdentity)
        try writer.setSyncValue(Array(name.description.utf8), named: CircleValue.joiningName)
        try writer.setSyncValue(object, named: CircleValue.joiningObject)
        try writer.setSyncValue(approver?.bytes, named: CircleValue.joiningApprover)
    }
}

extension ItemReader {
    func syncText(_ name: String) throws -> String? {
        try syncValue(named: name).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
