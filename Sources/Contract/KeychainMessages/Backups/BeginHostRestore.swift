package import LatchkeySecretMemory

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
