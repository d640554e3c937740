package import ArgumentParser
import Glibc
import LatchkeyAuditLog
import LatchkeyDevice

/// `latchkey audit`.
package struct AuditCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "The calls of programs on the device, from a log that reveals tampering.",
        subcommands: [AuditTail.self, AuditVerify.self])

    package init() {}
}

extension AuditReader {
    /// The log of the device that the options name. Read from its files: the device need not run.
    init(_ common: CommonOptions) throws(CommandFailure) {
        let directory = try DeviceAccess.deviceDirectory(common)
        guard directory.exists else {
            throw CommandFailure(
                .deviceUnreachable, "There is no device at \(directory.path).",
                advice: "`latchkey start --device \(directory.path)` makes one.")
        }
        self.init(directory: directory.keychain)
    }

    /// Runs `body` with a reader of the log; the reader's failures become the tool's.
    static func read<R>(
        _ common: CommonOptions, _ body: (AuditReader) throws(AuditReadFailure) -> R
    ) throws(CommandFailure) -> R {
        let reader = try AuditReader(common)
        do throws(AuditReadFailure) {
            return try body(reader)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    init(_ failure: AuditReadFailure) {
        switch failure {
        case .unreadable(let path, let errno):
            let isForbidden = errno == EACCES || errno == EPERM
            self.init(
                isForbidden ? .unsafePermissions : .deviceStorage, "The audit log cannot be read.",
                why: "\(path): \(SystemError.text(errno)).",
                advice: isForbidden ? "Run it as the owner of the device directory, or as root." : nil)
        case .tooLarge(let path, let byteCount):
            self.init(
                .auditLogBroken, "This is not the audit log as it was written.",
                why: "\(path) has \(byteCount) bytes, more than the log ever has.",
                advice: "Keep the file, and find out who changed it.")
        }
    }
}
