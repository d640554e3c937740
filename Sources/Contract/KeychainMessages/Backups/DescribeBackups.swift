package import LatchkeyEncoding

/// Asks whether a password for encrypted backups is set, and when the last backup was made.
package struct DescribeBackups: ListedDeviceQuestion, BareKeychainQuestion {
    package static let number: Int64 = 32
    package static let traits: KeychainTraits = .repeatable

    package init() {}

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> BackupSettings {
        try device.answer(self)
    }
}

package struct BackupSettings: Sendable, Hashable {
    /// The header of the keybag of encrypted backups, without its class keys; empty while no password is set. It says how
    /// the password becomes a key.
    package let keybag: [UInt8]
    /// The end of the last backup that was written wholly; nil if there was none.
    package let lastBackup: WallTime?

    package var hasPassword: Bool { !keybag.isEmpty }

    package init(keybag: [UInt8], lastBackup: WallTime? = nil) {
        self.keybag = keybag
        self.lastBackup = lastBackup
    }
}

extension BackupSettings: KeychainAnswer {
    package static let replyNumber: Int64 = 31

    package func write(to writer: inout FieldWriter) {
        writer.data(keybag)
        writer.optionalDate(lastBackup)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        keybag = try fields.data("keybag")
        lastBackup = try fields.optionalDate("last backup")
    }
}
