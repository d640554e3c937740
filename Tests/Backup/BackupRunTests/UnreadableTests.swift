import Foundation
import Glibc
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyFileAccess
import LatchkeyKeychainMessages
import Security
import SecurityTesting
import Testing

/// A backup that is sound and cannot be read at this moment.
@Suite("Backups that cannot be read now")
struct UnreadableTests {
    /// Root may read everything, so the process becomes another user: it is one of its own.
    @Test("a payload without permission is not damaged, and nothing is restored", arguments: [true, false])
    func permissionsInOwnProcess(isEncrypted: Bool) async throws {
        await #expect(processExitsWith: .success) { [isEncrypted = isEncrypted as Bool] in
            if getuid() == 0 { precondition(setgid(65534) == 0 && setuid(65534) == 0) }
            let machine = try Machine(hasPasscode: false)
            precondition(machine.add("account", kSecAttrAccessibleWhenUnlocked, "secret") == errSecSuccess)
            try machine.write("a", [UInt8](repeating: 1, count: 4000))
            try machine.write("b", [UInt8](repeating: 2, count: 5000))
            try machine.setPassword()
            try machine.backUp(encrypted: isEncrypted)
            let backup = try machine.opened()
            let ids = [FileID(domain: .home, path: "a"), .keychain]
            for id in ids { precondition(chmod("\(machine.folder)/\(id.folder)/\(id)", 0) == 0) }
            let check = try BackupCheck(backup) { _ in true }
            precondition(check.findings.count == 2, "\(check.findings)")
            precondition(check.findings.allSatisfy { $0.fault == .unreadable(EACCES) }, "\(check.findings)")
            precondition(!check.isSound && !check.isDamaged)
            let dry = try machine.restore(backup, to: machine.path + "/restored", isDryRun: true)
            precondition(dry.failed.allSatisfy { $0.reason == .system(EACCES) }, "\(dry.failed)")
            machine.deleteItems()
            do {
                _ = try machine.restore(backup, to: machine.path + "/restored", .replace)
                preconditionFailure("restored")
            } catch RunFailure.backup(.system(_, let number)) {
                precondition(number == EACCES)
            }
            precondition(machine.secret("account") == nil)
            for id in ids { precondition(chmod("\(machine.folder)/\(id.folder)/\(id)", 0o600) == 0) }
            let report = try machine.restore(backup, to: machine.path + "/restored", .replace)
            precondition(report.isWhole && report.restored == 2 && machine.secret("account") == "secret")
        }
    }
}
