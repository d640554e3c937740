package import ArgumentParser
import LatchkeyFileAccess
package import LatchkeyKeybag

/// `latchkey file`.
package struct FileCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "file", abstract: "Files that follow the lock state of the device: protect, check, read.",
        discussion: """
            A protected file has a class, which says when the device gives out its key:

              complete (A)             while the device is unlocked
              unless-open (B)          the same; it can be created at any time, and stays usable while it is open
              until-first-unlock (C)   from the first unlock after a start on
              none (D)                 always

            Only programs that use Latchkey's DataProtection, `latchkey file cat` and volumes show the content. For instance:

              latchkey file protect ~/Documents/letters --class complete
              latchkey file class ~/Documents/letters
              latchkey file unprotect ~/Documents/letters
            """,
        subcommands: [
            FileClassCommand.self, FileProtect.self, FileUnprotect.self, FileCheckCommand.self, FileCat.self,
        ])

    package init() {}
}

/// A class of files in the arguments.
package struct FileClassArgument: ExpressibleByArgument, Sendable {
    package let protection: FileProtection

    package init?(argument: String) {
        guard let protection = FileClassName.protection(from: argument) else { return nil }
        self.protection = protection
    }

    package static var allValueStrings: [String] { FileClassName.table.map(\.name) }
}

extension DeviceAccess {
    /// The files of this device.
    var files: FileVault { FileVault.of(keychain) }
}
