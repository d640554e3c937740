package import ArgumentParser

/// The command that the first words name, parsed alone.
///
/// The parser's own way describes all commands before it parses one. That takes longer than all else that the tool does
/// before it asks the device.
package enum NamedCommand {
    /// Parses words that name a command and that it understands. Nil for all others: the parser of the whole tool
    /// writes the refusals and the help.
    static func parse(_ words: [String]) -> (any ParsableCommand)? {
        guard let (command, rest) = find(words) else { return nil }
        return try? command.parse(Array(rest))
    }

    /// Finds the command that does something, and the words behind its name.
    package static func find(_ words: [String]) -> (command: any ParsableCommand.Type, rest: ArraySlice<String>)? {
        var command: any ParsableCommand.Type = Latchkey.self
        var rest = words[...]
        // Only names that are written down count. The others are made of the type's, which takes long.
        while let word = rest.first,
            let named = command.configuration.subcommands.first(where: { $0.configuration.commandName == word })
        {
            command = named
            rest.removeFirst()
        }
        let isGroup = !command.configuration.subcommands.isEmpty || command.configuration.defaultSubcommand != nil
        return isGroup ? nil : (command, rest)
    }
}
