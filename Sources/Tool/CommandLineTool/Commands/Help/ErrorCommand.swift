package import ArgumentParser
import Glibc
import LatchkeyItemModel

/// `latchkey error`.
package struct ErrorCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "error", abstract: "Say what a result code means: latchkey error -25300.")

    @Argument(help: "A number, or a name with or without errSec.")
    package var code: String

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        guard let code = ErrorTable.code(from: code) else {
            throw CommandFailure(
                .usage, "No result code is called \"\(code)\".", advice: "Give a number, or a name like errSecParam.")
        }
        let names = ErrorTable.names(of: code)
        guard !names.isEmpty else {
            throw CommandFailure(
                .itemNotFound, "\(code.rawValue) is not a result code of the keychain.",
                why: "Only codes that the SDK names have a meaning here.")
        }
        let message = ErrorTable.message(for: code)
        return Report(
            "\(code.rawValue) \(names.joined(separator: ", "))\n\(message)",
            json: .object([
                ("code", .integer(Int64(code.rawValue))), ("names", .array(names.map(JSONValue.string))),
                ("message", .string(message)),
            ]))
    }
}

/// `latchkey completions`.
package struct CompletionsCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print the completion script of a shell.",
        discussion: "For instance: latchkey completions bash > ~/.local/share/bash-completion/completions/latchkey")

    package enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash
        case zsh
        case fish
    }

    @Argument(help: "bash, zsh or fish.")
    package var shell: Shell

    package init() {}

    package func run() throws {
        let shell: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        guard Descriptor.write(Latchkey.completionScript(for: shell) + "\n", to: 1) else {
            try CommandFailure.outputNotWritten(errno).report(asJSON: false)
        }
    }
}
