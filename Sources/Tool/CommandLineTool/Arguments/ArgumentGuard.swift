/// Looks at the arguments before anything parses, prints or stores them.
package enum ArgumentGuard {
    private static let addingCommands: Set<String> = ["add-generic-password", "add-internet-password"]

    /// Options of the adding commands that take a value, which is then no secret.
    private static let valueOptions: Set<String> = [
        "-a", "-s", "-l", "-D", "-j", "-c", "-C", "-T", "-G", "-d", "-p", "-P", "-r", "-t", "--accessible",
        "--access-group", "--require", "--device", "--passcode-fd", "--secret-fd",
    ]

    /// Refuses a secret behind `-w` or `-X` of an adding command, whichever way it is attached, without repeating it.
    package static func refuseSecrets(in arguments: [String]) throws(CommandFailure) {
        let arguments = withoutWordsForSwift(arguments)
        try refusePassphrases(in: arguments)
        try refusePasswords(in: arguments)
        try refuseNewSecrets(in: arguments)
        try refuseSecretOptions(in: arguments)
        try refuseCodes(in: arguments)
    }

    /// The arguments without those that `latchkey swift` hands on: they are for other programs.
    private static func withoutWordsForSwift(_ arguments: [String]) -> [String] {
        let words = normalised(arguments)
        guard words.first == SwiftCommand.name, let end = words.firstIndex(where: SwiftCommand.commands.contains) else {
            return arguments
        }
        return Array(words[...end])
    }

    private static func refuseNewSecrets(in arguments: [String]) throws(CommandFailure) {
        guard let start = arguments.firstIndex(where: addingCommands.contains) else { return }
        let isGeneric = arguments[start] == "add-generic-password"
        var rest = arguments[(start + 1)...]
        while let argument = rest.popFirst() {
            // As bytes: a value may begin with a combining mark, which makes another character of the flag's letter.
            if let flag = ["-w", "-X"].first(where: { argument.utf8.starts(with: $0.utf8) }) {
                let isAttached = argument.utf8.count > 2
                let hasValue = rest.first.map { !$0.hasPrefix("-") || $0 == "-" } ?? false
                guard !isAttached, !hasValue else { throw .secretInArguments(what: "A value stands after \(flag).") }
                continue
            }
            // On macOS `-p` of the generic command is an old way to give the password.
            if isGeneric, argument.utf8.starts(with: "-p".utf8), !argument.hasPrefix("--") {
                throw .secretInArguments(what: "A value stands after -p.")
            }
            if argument.hasPrefix("--password") || argument.hasPrefix("--secret=") || argument == "--secret" {
                throw .secretInArguments(what: "The command has no option for a secret.")
            }
            if valueOptions.contains(argument) { _ = rest.popFirst() }
        }
    }

    private static let passphraseCommands: Set<String> = ["import", "export"]
    private static let passwordCommands: Set<String> = ["encrypt", "decrypt"]

    /// On macOS `import -P` and `export -P` are ways to give the passphrase; `--passphrase` is what people try next.
    private static func refusePassphrases(in arguments: [String]) throws(CommandFailure) {
        let words = normalised(arguments)
        guard let command = words.first, passphraseCommands.contains(command) else { return }
        for argument in words.dropFirst() {
            let name = argument.prefix { $0 != "=" }
            // The second one is of the password of a phone's backup.
            guard name != "--passphrase-fd", name != "--password-fd" else { continue }
            let isLong = name.hasPrefix("--passphrase") || name.hasPrefix("--password")
            guard isLong || argument.utf8.starts(with: "-P".utf8) else { continue }
            throw .secretInArguments(what: "The command has no option for a passphrase.", descriptor: "--passphrase-fd")
        }
    }

    /// `openssl`, `gpg` and others take the password of a file from their arguments; this is what people try here.
    private static func refusePasswords(in arguments: [String]) throws(CommandFailure) {
        let words = normalised(arguments)
        guard let command = words.first, passwordCommands.contains(command) else { return }
        for argument in words.dropFirst() {
            guard argument != "--" else { break }
            let name = argument.prefix { $0 != "=" }
            guard name != "--password-fd", name != "--passcode-fd" else { continue }
            guard name.hasPrefix("--pass") || name.hasPrefix("--key") || hasPasswordFlag(argument) else { continue }
            throw .secretInArguments(what: "The command has no option for a password.", descriptor: "--password-fd")
        }
        guard operandCount(words.dropFirst()) > 1, !words.contains("--help"), !words.contains("-h") else { return }
        throw CommandFailure(
            .usage, "There is more than the name of one file, and nothing was done.",
            why: "One file is encrypted or decrypted at a time. The rest is not repeated: it may have been a password.",
            advice: "Name one file. If a password stood there, change it, and give the new one without echo or with "
                + "--password-fd N.")
    }

    /// Returns true if the argument has a short flag that users mistake for a password flag, also after flags without a
    /// value.
    private static func hasPasswordFlag(_ argument: String) -> Bool {
        guard argument.hasPrefix("-"), !argument.hasPrefix("--") else { return false }
        return argument.unicodeScalars.dropFirst().first { !"fqh".unicodeScalars.contains($0) }
            .map { "pPkw".unicodeScalars.contains($0) } ?? false
    }

    private static let passwordValueOptions: Set<String> = [
        "-o", "--output", "-s", "--service", "-a", "--account", "-l", "--label", "--password-fd", "--prompt",
        "--access-group", "--device", "--passcode-fd",
    ]

    /// The number of words of `encrypt` or `decrypt` that are neither options nor their values.
    private static func operandCount(_ words: ArraySlice<String>) -> Int {
        var (count, rest) = (0, words)
        while let word = rest.popFirst() {
            guard word != "--" else { return count + rest.count }
            if word == "-" || !word.hasPrefix("-") {
                count += 1
            } else if takesValue(word) {
                _ = rest.popFirst()
            }
        }
        return count
    }

    /// Returns true if the next word belongs to this option, which may be the last of several short ones.
    private static func takesValue(_ word: String) -> Bool {
        guard !word.hasPrefix("--") else { return passwordValueOptions.contains(word) }
        let flags = word.dropFirst().drop { "fqh".contains($0) }
        return flags.count == 1 && passwordValueOptions.contains("-\(flags)")
    }

    /// The arguments for the parser: the common options may come before the command, and a negative number after
    /// `error` is a number.
    package static func normalised(_ arguments: [String]) -> [String] {
        var leading: [String] = []
        var rest = arguments[...]
        while let first = rest.first {
            if first == "--json" || first.hasPrefix("--device=") || first.hasPrefix("--passcode-fd=") {
                leading.append(first)
                rest.removeFirst()
            } else if first == "--device" || first == "--passcode-fd", rest.count > 1 {
                leading += rest.prefix(2)
                rest.removeFirst(2)
            } else {
                break
            }
        }
        if rest.first == "error", let code = rest.dropFirst().firstIndex(where: isNegativeNumber) {
            rest.append(contentsOf: ["--", rest.remove(at: code)])
        }
        // Words behind the command of swift are for other programs.
        let isSwift = rest.first == SwiftCommand.name
        let end = isSwift ? rest.startIndex + 1 : rest.firstIndex(of: "--") ?? rest.endIndex
        rest.insert(contentsOf: leading, at: end)
        return Array(rest)
    }

    private static func isNegativeNumber(_ text: String) -> Bool {
        text.hasPrefix("-") && text.utf8.count > 1 && text.dropFirst().allSatisfy(\.isNumber)
    }
}
