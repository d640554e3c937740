package import ArgumentParser
import LatchkeyBackupFormat
import LatchkeyCryptoSuite
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// `latchkey backup password set`.
package struct BackupPasswordSet: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set the password of encrypted backups.",
        discussion: """
            The password cannot be asked back: without it, a backup opens on no device. Making a key of it takes some \
            seconds, so that guessing it takes long.
            """)

    @OptionGroup package var input: BackupPasswordInput
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common, changes: true)
        guard try !device.ask(DescribeBackups()).hasPassword else {
            throw CommandFailure(
                .passcodeAlreadySet, "A password for backups is set already.",
                advice: "`latchkey backup password change` changes it.")
        }
        let passcode = try device.ownersPasscode(common)
        let password = try BackupPassword.new(of: input.newPassword())
        try device.ask(SetBackupPassword(current: nil, new: password, passcode: passcode))
        return Report("The password for backups is set.", json: .object([("hasPassword", .boolean(true))]))
    }
}

/// `latchkey backup password change`.
package struct BackupPasswordChange: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "change", abstract: "Change the password of encrypted backups.",
        discussion: """
            Asks for the current one, then for the new one. Backups that were made keep their password; the next one is \
            whole, under new keys.
            """)

    @OptionGroup package var input: BackupPasswordInput
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common, changes: true)
        let settings = try device.ask(DescribeBackups())
        let passcode = try device.ownersPasscode(common)
        let current = try settings.key(for: input.password())
        let password = try BackupPassword.new(of: input.newPassword())
        try device.ask(SetBackupPassword(current: current, new: password, passcode: passcode))
        return Report("The password for backups is changed.", json: .object([("hasPassword", .boolean(true))]))
    }
}

/// `latchkey backup password remove`.
package struct BackupPasswordRemove: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget the password of encrypted backups.",
        discussion: "Backups that were made keep it. No encrypted backup can be made until one is set again.")

    @OptionGroup package var input: BackupPasswordInput
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common, changes: true)
        let settings = try device.ask(DescribeBackups())
        let passcode = try device.ownersPasscode(common)
        let current = try settings.key(for: input.password())
        try device.ask(SetBackupPassword(current: current, new: nil, passcode: passcode))
        return Report("The password for backups is forgotten.", json: .object([("hasPassword", .boolean(false))]))
    }
}

extension BackupPassword {
    fileprivate static func new(of password: SecretBox) throws(CommandFailure) -> BackupPassword {
        let parameters = BackupPasswordParameters.encrypted(entropy: SystemEntropy())
        return BackupPassword(parameters, key: try parameters.key(for: password))
    }
}

extension BackupSettings {
    /// The key that the stored keybag's parameters make of the password that is set.
    fileprivate func key(for password: SecretBox) throws(CommandFailure) -> SecretBox {
        guard hasPassword else {
            throw CommandFailure(
                .noPasscodeSet, "No password for backups is set.", advice: "`latchkey backup password set` sets one.")
        }
        guard let header = try? Keybag(parsing: keybag).header,
            let key = try? BackupKeybag.passcodeKey(for: password, header: header)
        else { throw CommandFailure(.deviceDamaged, "The stored keybag of backups cannot be used.") }
        return key
    }
}
