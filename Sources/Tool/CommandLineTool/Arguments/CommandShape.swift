import ArgumentParser
import Foundation

/// The commands and options that the tool has, as its parser describes them. Read where a command line was not understood.
package struct CommandShape: Decodable, Sendable {
    package struct Argument: Decodable, Sendable {
        package struct Name: Decodable, Sendable {
            let kind: String
            let name: String

            /// As it is typed: `-w`, `--json`.
            package var text: String { (kind == "long" ? "--" : "-") + name }
        }

        package let kind: String
        package let names: [Name]?
    }

    package let commandName: String
    package let subcommands: [CommandShape]?
    package let defaultSubcommand: String?
    package let arguments: [Argument]?

    private struct Document: Decodable {
        let command: CommandShape
    }

    /// The tool as a whole.
    package static let tool: CommandShape? = {
        let document = try? JSONDecoder().decode(Document.self, from: Data(Latchkey._dumpHelp().utf8))
        return document?.command
    }()

    /// The subcommand of that name.
    package func subcommand(_ name: String) -> CommandShape? {
        subcommands?.first { $0.commandName == name }
    }

    /// The command that words name, the words of its path, and the words behind them that are not options.
    package func command(named words: [String]) -> (command: CommandShape, path: [String], operands: ArraySlice<String>)
    {
        var command = self
        var path: [String] = []
        var operands = words.prefix { $0 != "--" }.filter { !$0.hasPrefix("-") }[...]
        while let word = operands.first, let next = command.subcommand(word) {
            command = next
            path.append(word)
            operands.removeFirst()
        }
        return (command, path, operands)
    }

    /// Every name of an option, here and below, as it is typed.
    package var optionNames: Set<String> {
        let own = Set((arguments ?? []).flatMap { $0.names ?? [] }.map(\.text))
        return (subcommands ?? []).reduce(into: own) { $0.formUnion($1.optionNames) }
    }

    /// True if words that are not options may follow its own.
    package var takesOperands: Bool { (arguments ?? []).contains { $0.kind == "positional" } }

    /// The options that may stand behind the command's own words: also those of the subcommand that is meant where none
    /// is named.
    package var ownOptionNames: Set<String> {
        let own = Set((arguments ?? []).flatMap { $0.names ?? [] }.map(\.text))
        return own.union(defaultSubcommand.flatMap(subcommand)?.ownOptionNames ?? [])
    }

    /// The words of every command that does something, without the tool's own name.
    package var paths: [[String]] {
        let below = (subcommands ?? []).filter { $0.commandName != "help" }
        let own: [[String]] = below.isEmpty || defaultSubcommand != nil ? [[]] : []
        return own + below.flatMap { command in command.paths.map { [command.commandName] + $0 } }
    }
}
