package import ArgumentParser
import Glibc
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPrompt
import LatchkeySecretMemory

/// Where the password of a backup comes from: a terminal without echo, standard input, or a descriptor.
package struct BackupPasswordInput: ParsableArguments {
    @Option(help: ArgumentHelp("Read the backup's password, one line, from this descriptor instead.", valueName: "n"))
    package var passwordFd: Int32?

    package init() {}

    /// The password of a backup that is there.
    func password() throws(CommandFailure) -> SecretBox {
        try PasswordEntry.check(passwordFd)
        return try PasswordEntry(descriptor: passwordFd, standardInputIsFile: false).line(
            prompt: "Password of the backup: ")
    }

    /// A new password: on a terminal it is asked for twice.
    func newPassword() throws(CommandFailure) -> SecretBox {
        try PasswordEntry.check(passwordFd)
        let entry = try PasswordEntry(descriptor: passwordFd, standardInputIsFile: false)
        let first = try entry.line(prompt: "New password for backups: ")
        guard entry.isTerminal else { return first }
        guard try first.equals(entry.line(prompt: "The same again: ")) else {
            throw CommandFailure(.entriesDiffer, reading: "password")
        }
        return first
    }

    /// The folder of a backup with its keys; asks for the password if it has one.
    func opened(_ directory: String) throws(CommandFailure) -> OpenedBackup {
        let (folder, manifest) = try Self.found(directory)
        let password = manifest.isEncrypted ? try password() : SecretBox(copying: [])
        do throws(BackupFailure) {
            return try OpenedBackup.opened(folder, password: password, patience: .ofCommand).backup
        } catch {
            throw CommandFailure(error, directory)
        }
    }

    static func found(_ directory: String) throws(CommandFailure) -> (BackupFolder, BackupManifest) {
        do throws(BackupFailure) {
            let folder = try BackupFolder.find(directory)
            return (folder, try folder.manifest())
        } catch {
            throw CommandFailure(error, directory)
        }
    }
}

extension BackupPasswordParameters {
    /// The key for a password, with the failure of a command.
    func key(for password: SecretBox) throws(CommandFailure) -> SecretBox {
        do throws(KeybagUnlockFailure) {
            return try passcodeKey(for: password)
        } catch {
            throw CommandFailure(.failure, "No key can be made of the password.", why: "\(error)")
        }
    }
}

extension DeviceAccess {
    /// The device's passcode for an act of its owner; nil if none is set.
    func ownersPasscode(_ common: CommonOptions) throws(CommandFailure) -> SecretBox? {
        try status().enclave.hasPasscode ? try common.secrets.passcode() : nil
    }
}

extension LockPatience {
    /// Waits for the other side until the user interrupts the command, a minute at most.
    static var ofCommand: LockPatience { .upTo { !Interruption.isRequested } }
}
