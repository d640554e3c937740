import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Makes an escrow: a host gets a keybag with which it may back up and restore without the passcode, and the device keeps
/// the key that opens it. Needs the passcode.
package struct CreateEscrow: OwnersChange {
    package static let number: Int64 = 40
    package static let name = "create-escrow"

    /// For people: 1 to ``EscrowRecord/nameByteLimit`` bytes.
    package let hostName: String
    package let passcode: SecretBox?

    package init(hostName: String, passcode: SecretBox?) {
        self.hostName = hostName
        self.passcode = passcode
    }

    package var subject: String { hostName }

    package func write(to writer: inout FieldWriter) {
        writer.text(hostName)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        hostName = try fields.hostName()
        passcode = try fields.passcode()
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> HostKeybag {
        try device.answer(self)
    }
}

/// The host's half of an escrow (`Docs/Formats/keybag.md`).
package struct HostKeybag: Sendable, Hashable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension HostKeybag: KeychainAnswer {
    package static let replyNumber: Int64 = 40

    package func write(to writer: inout FieldWriter) {
        writer.data(bytes)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        bytes = try fields.data("keybag")
    }
}

/// Asks for the hosts that may back up and restore without the passcode.
package struct ListEscrows: ListedDeviceQuestion, BareKeychainQuestion {
    package static let number: Int64 = 41
    package static let traits: KeychainTraits = .repeatable

    package init() {}

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> [EscrowRecord] {
        try device.answer(self)
    }
}

package struct EscrowRecord: Sendable, Hashable {
    package static let identifierByteCount = 16
    package static let nameByteLimit = 64
    /// The hosts that one device has.
    package static let limit = 16

    /// The identifier of the host's keybag.
    package let identifier: [UInt8]
    package let hostName: String
    /// Seconds since 2001-01-01 00:00:00 UTC.
    package let created: Double

    package init(identifier: [UInt8], hostName: String, created: Double) {
        self.identifier = identifier
        self.hostName = hostName
        self.created = created
    }
}

extension EscrowRecord: ListedKeychainAnswer {
    package static let listNumber: Int64 = 41
    package static let listName = "hosts"
    package static let listLimit = limit

    package func write(to writer: inout FieldWriter) {
        writer.data(identifier)
        writer.text(hostName)
        writer.date(created)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        identifier = try fields.escrowIdentifier()
        hostName = try fields.hostName()
        created = try fields.date("created")
    }
}

/// Ends an escrow: the device forgets its key, and the host's keybag opens nothing any more. Needs no passcode: it takes
/// rights away.
package struct RevokeEscrow: ListedDeviceQuestion {
    package static let number: Int64 = 42
    package static let traits: KeychainTraits = [.changesDevice, .audited]
    package static let name = "revoke-escrow"

    /// Nil for all.
    package let identifier: [UInt8]?

    package init(_ identifier: [UInt8]?) {
        self.identifier = identifier
    }

    package func write(to writer: inout FieldWriter) {
        writer.data(identifier ?? [])
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        try fields.checkNoSecrets("device request")
        let bytes = try fields.data("identifier")
        guard bytes.isEmpty || bytes.count == EscrowRecord.identifierByteCount else { throw .badField("identifier") }
        identifier = bytes.isEmpty ? nil : bytes
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> RemovedCount {
        try device.answer(self)
    }
}

/// Begins an encrypted backup with a host's keybag in the place of the passcode.
package struct BeginHostBackup: ListedDeviceQuestion {
    package static let number: Int64 = 43
    package static let traits: KeychainTraits = .audited
    package static let name = "backup-begin-host"

    package let host: HostKeybag

    package init(_ host: HostKeybag) {
        self.host = host
    }

    package func write(to writer: inout FieldWriter) {
        writer.data(host.bytes)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        try fields.checkNoSecrets("device request")
        host = HostKeybag(try fields.data("keybag"))
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> BackupGrant {
        try device.answer(self)
    }
}

/// Begins a restore with a host's keybag in the place of the passcode.
package struct BeginHostRestore: ListedDeviceQuestion {
    package static let number: Int64 = 44
    package static let traits: KeychainTraits = [.changesDevice, .audited]
    package static let name = "restore-begin-host"

    package let host: HostKeybag
    /// Of the backup's manifest.
    package let keybag: [UInt8]
    /// The key that the keybag's parameters make of the backup's password.
    package let passwordKey: SecretBox
    package let policy: RestorePolicy

    package init(_ host: HostKeybag, keybag: [UInt8], passwordKey: SecretBox, policy: RestorePolicy) {
        self.host = host
        self.keybag = keybag
        self.passwordKey = passwordKey
        self.policy = policy
    }

    package var subject: String { policy.rawValue }

    package func write(to writer: inout FieldWriter) {
        writer.data(host.bytes)
        writer.data(keybag)
        writer.secret(passwordKey)
        writer.text(policy.rawValue)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        host = HostKeybag(try fields.data("host"))
        keybag = try fields.data("keybag")
        passwordKey = try fields.backupPasswordKey()
        try fields.checkSecretCount(1, "password")
        guard let policy = RestorePolicy(rawValue: try fields.text("policy")) else { throw .badField("policy") }
        self.policy = policy
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> BackupGrant {
        try device.answer(self)
    }
}

extension MessageFields {
    fileprivate mutating func hostName() throws(MessageCodingFailure) -> String {
        let name = try text("name")
        guard (1...EscrowRecord.nameByteLimit).contains(name.utf8.count) else { throw .badField("name") }
        return name
    }

    fileprivate mutating func escrowIdentifier() throws(MessageCodingFailure) -> [UInt8] {
        let identifier = try data("identifier")
        guard identifier.count == EscrowRecord.identifierByteCount else { throw .badField("identifier") }
        return identifier
    }
}
