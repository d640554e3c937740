package import ArgumentParser
import LatchkeyDevice

/// The command line tool as a whole.
package struct Latchkey: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "latchkey",
        abstract: "A keychain for this machine: passwords that follow the lock state of a device.",
        discussion: """
            Secrets come from the terminal without echo, from standard input, or from a descriptor; never from \
            arguments. Exit codes are listed in Docs/CLI-ABI.md.
            """,
        version: "latchkey \(ProgramVersion.text)",
        groupedSubcommands: [
            CommandGroup(
                name: "The device",
                subcommands: [
                    StartCommand.self, StopCommand.self, StatusCommand.self, PasscodeCommand.self, LockCommand.self,
                    UnlockCommand.self, FingerCommand.self, AgentCommand.self, ConfigureCommand.self, EraseCommand.self,
                    AdoptCommand.self, MigrateCommand.self,
                ]),
            CommandGroup(
                name: "Passwords",
                subcommands: [
                    AddGenericPassword.self, FindGenericPassword.self, DeleteGenericPassword.self,
                    AddInternetPassword.self, FindInternetPassword.self, DeleteInternetPassword.self,
                ]),
            CommandGroup(
                name: "Keys and certificates",
                subcommands: [
                    KeyCommand.self, FindKey.self, FindCertificate.self, FindIdentity.self, AddCertificates.self,
                ]),
            CommandGroup(
                name: "Files",
                subcommands: [FileCommand.self, VolumeCommand.self, EncryptCommand.self, DecryptCommand.self]),
            CommandGroup(
                name: "Items",
                subcommands: [
                    ItemCommand.self, DumpKeychain.self, ImportCommand.self, ExportCommand.self, BackupCommand.self,
                    EscrowCommand.self, SyncCommand.self,
                ]),
            CommandGroup(
                name: "Programs",
                subcommands: [TeamCommand.self, CodesignCommand.self, AppCommand.self, AccessCommand.self]),
            CommandGroup(name: "Packages", subcommands: [SwiftCommand.self, ToolsetCommand.self]),
            CommandGroup(
                name: "Help",
                subcommands: [
                    DoctorCommand.self, ExplainCommand.self, AuditCommand.self, ErrorCommand.self, TourCommand.self,
                    CompletionsCommand.self,
                ]),
        ])

    package init() {}
}

/// Runs the tool on the process's arguments.
package enum ToolProgram {
    /// The name by which the user called this program, for commands that they are to type next.
    static var invokedName: String {
        guard let name = CommandLine.arguments.first, name.utf8.contains(UInt8(ascii: "/")) else { return "latchkey" }
        return name
    }

    package static func main(_ arguments: [String] = Array(CommandLine.arguments.dropFirst())) -> Never {
        // Before anything is opened: it would get the number of a closed one, and be read as the password.
        guard Descriptor.occupyStandardOnes() else { Latchkey.exit(withError: ExitCode(ExitReason.failure.rawValue)) }
        ProgramVersion.answer(["latchkey"] + arguments, program: "latchkey")
        do {
            switch command(arguments) {
            case .runs(var command):
                if let refusal = SetgidTool.refusal(of: command) {
                    try refusal.report(asJSON: arguments.contains("--json"))
                }
                try command.run()
            case .refused(let failure, let usage):
                try failure.report(asJSON: arguments.contains("--json"), usage: usage)
            case .ends(let error): throw error
            }
            Latchkey.exit()
        } catch {
            Latchkey.exit(withError: error)
        }
    }

    /// The result of parsing a command line, before anything is done.
    package enum Reading {
        case runs(any ParsableCommand)
        /// Refused, with how the command is called.
        case refused(CommandFailure, usage: String)
        /// Help, a version or a completion script, which is all that was asked for.
        case ends(any Error)
    }

    /// Reads a command line. A refusal repeats no word of it that may be a secret.
    package static func command(_ arguments: [String]) -> Reading {
        do throws(CommandFailure) {
            try ArgumentGuard.refuseSecrets(in: arguments)
        } catch {
            return .refused(error, usage: "")
        }
        let words = EscrowUse.commandLine(ArgumentGuard.normalised(arguments))
        if let failure = ArgumentFailure.unknownHelp(words) { return .refused(failure, usage: "") }
        do {
            return .runs(try NamedCommand.parse(words) ?? Latchkey.parseAsRoot(words))
        } catch {
            guard Latchkey.exitCode(for: error) != .success else { return .ends(error) }
            let failure = ArgumentFailure(error, words: words)
            return .refused(failure.failure, usage: failure.usage)
        }
    }
}
