package import LatchkeyEnclaveContract
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// Sets, changes or removes the password of encrypted backups.
///
/// To change or remove it needs the one that is set, as the key that the stored keybag's own parameters make of it
/// (``DescribeBackups``). Without that one, the owner can only take it away by erasing the device, or leave it.
package struct SetBackupPassword: OwnersChange {
    package static let number: Int64 = 31
    package static let name = "backup-password"

    /// The key of the password that is set now.
    package let current: SecretBox?
    /// Nil to remove the password.
    package let new: BackupPassword?
    package let passcode: SecretBox?

    package init(current: SecretBox?, new: BackupPassword?, passcode: SecretBox?) {
        self.current = current
        self.new = new
        self.passcode = passcode
    }

    package func write(to writer: inout FieldWriter) {
        writer.optionalSecret(passcode)
        writer.optionalSecret(current)
        if let new { writer.backupPassword(new) } else { writer.value(.null) }
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        passcode = try fields.optionalSecret("passcode")
        current = try fields.optionalSecret("current password")
        new = try fields.optionalBackupPassword()
        let count = [passcode, current, new?.key].compactMap { $0 }.count
        try fields.checkSecretCount(count, "password")
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> Done {
        try device.answer(self)
    }
}
