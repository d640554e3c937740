package import LatchkeySecretMemory

/// Begins a restore: the device takes over the class keys of a backup. Needs the passcode.
package struct BeginRestore: OwnersChange {
    package static let number: Int64 = 36
    package static let name = "restore-begin"

    /// Of the backup's manifest.
    package let keybag: [UInt8]
    /// The key that the keybag's parameters make of the backup's password.
    package let passwordKey: SecretBox
    package let policy: RestorePolicy
    package let passcode: SecretBox?

    package init(keybag: [UInt8], passwordKey: SecretBox, policy: RestorePolicy, passcode: SecretBox?) {
        self.keybag = keybag
        self.passwordKey = passwordKey
        self.policy = policy
        self.passcode = passcode
    }

    package var subject: String { policy.rawValue }

    package func write(to writer: inout FieldWriter) {
        writer.optionalSecret(passcode)
        writer.data(keybag)
        writer.secret(passwordKey)
        writer.text(policy.rawValue)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        passcode = try fields.optionalSecret("passcode")
        keybag = try fields.data("keybag")
        passwordKey = try fields.backupPasswordKey()
        try fields.checkSecretCount(passcode == nil ? 1 : 2, "password")
        guard let policy = RestorePolicy(rawValue: try fields.text("policy")) else { throw .badField("policy") }
        self.policy = policy
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> BackupGrant {
        try device.answer(self)
    }
}

/// The treatment of items that are there when a backup is restored.
package enum RestorePolicy: String, Sendable, CaseIterable {
    /// As on iOS: items that do not synchronize, and may leave this device, go first; the device has what the backup has.
    case replace
    /// Of an item that both have, the one that was changed last stays.
    case merge
    /// Of an item that both have, the one on the device stays.
    case keep
}
