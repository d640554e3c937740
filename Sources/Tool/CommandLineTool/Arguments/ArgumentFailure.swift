import ArgumentParser
import LatchkeyPlainText

/// A command line that was not understood, without the words of it that may be a secret.
package struct ArgumentFailure: Sendable {
    package let failure: CommandFailure
    /// The usage lines for people; with their newline, empty if there is nothing to say.
    package let usage: String

    /// - Parameters:
    ///   - error: of the parser.
    ///   - words: the arguments as the parser got them.
    package init(_ error: any Error, words: [String]) {
        let tool = CommandShape.tool
        let named = tool?.command(named: words)
        let path = named?.path ?? []
        let message = Latchkey.message(for: error)
        usage = Self.usage(Latchkey.fullMessage(for: error))
        let help = "`\((["latchkey"] + path).joined(separator: " ")) --help` explains it."
        if let named, let unknown = Self.unknownCommand(named, words, isTooMuch: Self.isAboutExtraWords(message)) {
            failure = unknown
        } else if Self.isAboutExtraWords(message) {
            failure = Self.unexpectedWords(path, advice: help)
        } else {
            let known = tool?.optionNames ?? []
            let text = Self.joined(Self.without(words, known, in: message))
            failure = CommandFailure(.usage, Self.sentence(text), advice: help)
        }
    }

    /// Commands that take a passcode or a secret: a word too many is likely to be it.
    private static let secretCommands: Set<[String]> = [
        ["passcode", "set"], ["passcode", "change"], ["passcode", "remove"], ["unlock"], ["erase"], ["configure"],
        ["find-generic-password"], ["find-internet-password"],
    ]

    private static func isAboutExtraWords(_ message: String) -> Bool {
        message.hasPrefix("Unexpected argument") || message.contains(" unexpected arguments: ")
    }

    private static func unexpectedWords(_ path: [String], advice: String) -> CommandFailure {
        guard !secretCommands.contains(path) else {
            return .secretInArguments(
                what: "There is a word too many, which is not repeated: it may be a passcode or a secret.",
                descriptor: "--passcode-fd")
        }
        return CommandFailure(
            .usage, "There is a word too many, and nothing was done.",
            why: "It is not repeated here because it may be a secret.", advice: advice)
    }

    /// The refusal of a word where a subcommand belongs; nil if none belongs there.
    ///
    /// - Parameter isTooMuch: the parser took the word for an operand of a default command, and found it or another
    ///   one to be too much.
    private static func unknownCommand(
        _ named: (command: CommandShape, path: [String], operands: ArraySlice<String>), _ words: [String],
        isTooMuch: Bool
    ) -> CommandFailure? {
        guard let names = named.command.subcommands?.map(\.commandName), let word = named.operands.first else {
            return nil
        }
        if let standard = named.command.defaultSubcommand.flatMap(named.command.subcommand) {
            // Not the value of an option.
            guard words.dropFirst(named.path.count).first == word, isTooMuch || !standard.takesOperands,
                !NearestWord.candidates(for: word, among: names).isEmpty
            else { return nil }
        }
        return unknownCommand(word, named.path, among: names)
    }

    /// The refusal of a command line that asks for the help of a command that does not exist; nil for any other. The
    /// parser answers such a line with the help of the tool, as a success.
    package static func unknownHelp(_ words: [String]) -> CommandFailure? {
        let isCommand = words.first == "help"
        guard isCommand || words.prefix(while: { $0 != "--" }).contains(where: { ["--help", "-h"].contains($0) }) else {
            return nil
        }
        let asked = isCommand ? Array(words.dropFirst()) : words
        guard let named = CommandShape.tool?.command(named: asked) else { return nil }
        // The word in question stands where a command does, and is not the value of an option.
        guard asked.dropFirst(named.path.count).first == named.operands.first else { return nil }
        // The command `help` takes nothing but commands.
        return unknownCommand(named, asked, isTooMuch: isCommand)
    }

    private static func unknownCommand(_ word: String, _ path: [String], among names: [String]) -> CommandFailure {
        let start = (["latchkey"] + path).joined(separator: " ")
        let near = NearestWord.candidates(for: word, among: names)
        guard !near.isEmpty else {
            return CommandFailure(
                .usage, "There is no such command.", why: "It is not repeated here because it may be a secret.",
                advice: "`\(start) --help` lists the commands.")
        }
        let meant = near.map { "`\(start) \($0)`" }
        let choice =
            meant.count == 1 ? meant[0] : meant.dropLast().joined(separator: ", ") + " or " + meant[meant.count - 1]
        return CommandFailure(
            .usage, "There is no command \"\(PlainText.escaped(word))\".",
            advice: "Did you mean \(choice)? `\(start) --help` lists the commands.")
    }

    /// The message without the user's words, except for the names of options.
    private static func without(_ words: [String], _ known: Set<String>, in message: String) -> String {
        var parts: Set<String> = []
        for word in words {
            let name = word.prefix { $0 != "=" }
            if !known.contains(word) { parts.insert(word) }
            if name.count < word.count { parts.insert(String(word.dropFirst(name.count + 1))) }
            if word.hasPrefix("-"), !word.hasPrefix("--"), word.count > 2 { parts.insert(String(word.dropFirst(2))) }
        }
        return parts.sorted { $0.count > $1.count }.reduce(message) { text, part in
            // A name of an option that is nearly right is not a secret, and the user has to see it.
            guard !part.isEmpty, !isMistypedOption(part, known) else { return text }
            return text.split(separator: "'\(part)'", omittingEmptySubsequences: false).joined(separator: "'…'")
        }
    }

    private static func isMistypedOption(_ word: String, _ known: Set<String>) -> Bool {
        guard word.hasPrefix("--") else { return false }
        let isPlainName = word.dropFirst(2).allSatisfy { $0 == "-" || ("a"..."z").contains($0) }
        return isPlainName || !NearestWord.candidates(for: word, among: Array(known)).isEmpty
    }

    /// The parser's lines as one: a list that it writes below a colon becomes a list with commas.
    private static func joined(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline)
            .map { line in
                let content = line.drop { $0 == " " }
                return content.hasPrefix("- ") ? content.dropFirst(2) : content
            }
            .filter { !$0.isEmpty }
            .reduce("") { text, line in
                guard let end = text.last else { return String(line) }
                return text + (".?!:".contains(end) ? " " : ", ") + line
            }
    }

    private static func sentence(_ text: String) -> String {
        let end = text.last.map { ".?!:…".contains($0) } ?? true
        return end ? text : text + "."
    }

    /// The parser's lines from "Usage:" on.
    private static func usage(_ message: String) -> String {
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0.hasPrefix("Usage:") }) else { return "" }
        return lines[start...].joined(separator: "\n") + "\n"
    }
}
