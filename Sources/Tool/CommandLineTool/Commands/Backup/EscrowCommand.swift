package import ArgumentParser
import Foundation
import LatchkeyEncoding
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeySecretMemory

/// `latchkey escrow`.
package struct EscrowCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "escrow", abstract: "Hosts that back up and restore without the passcode.",
        discussion: """
            A host holds a keybag; the device holds the key that opens it. With both, encrypted backups are made and \
            restored also while the device is locked, from its first unlock on. A host learns no item from that: they \
            leave the device under the password for backups. A new passcode ends all hosts.
            """,
        subcommands: [EscrowCreate.self, EscrowList.self, EscrowUse.self, EscrowRevoke.self])

    package init() {}
}

/// `latchkey escrow create`.
package struct EscrowCreate: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make the keybag of a host. Asks for the passcode.",
        discussion: "Keep the file where the host alone reads it, and out of backups of this machine.")

    @Argument(
        help: ArgumentHelp("The file for the keybag; there must be none.", valueName: "file"), completion: .file())
    package var file: String

    @Option(help: "The host's name, for `latchkey escrow list`; this machine's if none is given.")
    package var name: String?

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let name = name ?? String(decoding: ProcessInfo.processInfo.hostName.utf8.prefix(63), as: UTF8.self)
        guard (1...EscrowRecord.nameByteLimit).contains(name.utf8.count) else {
            throw CommandFailure(.usage, "A host's name has 1 to \(EscrowRecord.nameByteLimit) bytes.")
        }
        let output = try OutputFile(.file(file, replacing: false), offersReplacing: false)
        let device = try DeviceAccess(common, changes: true)
        let keybag = try device.ask(CreateEscrow(hostName: name, passcode: try device.ownersPasscode(common)))
        do throws(CommandFailure) {
            try unsafe SecretBox(copying: keybag.bytes).withBytes { bytes throws(CommandFailure) in
                try unsafe output.write(bytes)
            }
            try output.complete()
        } catch {
            // A host without its keybag is of no use.
            if let host = keybag.identifier { _ = try? device.ask(RevokeEscrow(host)) }
            throw error
        }
        let identifier = Hexadecimal.text(keybag.identifier ?? [])
        return Report(
            "The host \(PlainText.escaped(name)) may back up and restore with \(PlainText.escaped(file)).",
            json: .object([("identifier", .string(identifier)), ("name", .string(name)), ("file", .string(file))]))
    }
}

/// `latchkey escrow list`.
package struct EscrowList: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the hosts that may back up and restore without the passcode.")

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let hosts = try DeviceAccess(common).ask(ListEscrows())
        let lines = hosts.map { host in
            "\(Hexadecimal.text(host.identifier))  \(CalendarDate.text(host.created))  "
                + PlainText.escaped(host.hostName)
        }
        return Report(
            lines.isEmpty ? "No host may back up without the passcode." : lines.joined(separator: "\n"),
            json: .array(
                hosts.map { host in
                    .object([
                        ("identifier", .string(Hexadecimal.text(host.identifier))), ("name", .string(host.hostName)),
                        ("created", .string(CalendarDate.text(host.created))),
                    ])
                }))
    }
}

/// `latchkey escrow use`.
package struct EscrowUse: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "use", abstract: "Back up or restore as a host, without the passcode.",
        usage: "latchkey escrow use <file> backup create|restore <options> …",
        discussion: "The same as the option --host of these commands.")

    @Argument(help: ArgumentHelp("The host's keybag.", valueName: "file"), completion: .file())
    package var file: String

    @OptionGroup package var common: CommonOptions

    package init() {}

    /// Only a call without a command comes here (``commandLine(_:)``).
    package func perform() throws(CommandFailure) -> Report {
        throw CommandFailure(
            .usage, "A host makes backups, or restores them.",
            advice: "Say which: latchkey escrow use \(PlainText.escaped(file)) backup create --encrypted DIR")
    }

    /// The command line of the command that a host runs; any other one as it is.
    static func commandLine(_ words: [String]) -> [String] {
        guard words.count >= 5, words[0] == "escrow", words[1] == "use", words[3] == "backup",
            !words[2].hasPrefix("-"), ["create", "restore"].contains(words[4])
        else { return words }
        return [words[3], words[4], "--host=\(words[2])"] + words[5...]
    }
}

/// `latchkey escrow revoke`.
package struct EscrowRevoke: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End the right of a host. Needs no passcode.")

    @Argument(
        help: ArgumentHelp("The host's keybag, or its identifier in `latchkey escrow list`.", valueName: "host"),
        completion: .file())
    package var host: String?

    @Flag(help: "End the rights of all hosts.")
    package var all = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        guard all != (host != nil) else {
            throw CommandFailure(.usage, "One host is revoked, or all.", advice: "Name the host, or say --all.")
        }
        var identifier: [UInt8]?
        if let host { identifier = try Self.identifier(host) }
        let count = try DeviceAccess(common, changes: true).ask(RevokeEscrow(identifier)).count
        guard count > 0 || all else {
            throw CommandFailure(
                .notRegistered, "The device knows no such host.",
                advice: "`latchkey escrow list` shows those that it knows."
            )
        }
        return Report(
            "\(ItemCount.text(count, "host")) revoked.", json: .object([("revoked", .integer(Int64(count)))]))
    }

    private static func identifier(_ argument: String) throws(CommandFailure) -> [UInt8] {
        if let bytes = Hexadecimal.bytes(from: argument.utf8), bytes.count == EscrowRecord.identifierByteCount {
            return bytes
        }
        let keybag = try HostKeybag(file: argument)
        guard let identifier = keybag.identifier else { throw .noHostKeybag(argument) }
        return identifier
    }
}

/// The option of commands that a host may run.
package struct HostInput: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use a host's keybag (latchkey escrow create) in the place of the passcode.", valueName: "file"),
        completion: .file())
    package var host: String?

    package init() {}

    func keybag() throws(CommandFailure) -> HostKeybag? {
        guard let host else { return nil }
        let keybag = try HostKeybag(file: host)
        guard keybag.identifier != nil else { throw .noHostKeybag(host) }
        return keybag
    }
}
