extension ArgumentGuard {
    /// Names that people give to an option for a secret. No command has one of them but for those that end in `-fd`.
    private static let secretNames = ["pass", "pin", "pw", "secret"]
    private static let prefixes = ["", "new-", "old-", "current-", "device-", "user-"]

    /// Refuses what looks like an option for a passcode or a secret, of any command, and a descriptor that is not a
    /// number: neither is repeated.
    static func refuseSecretOptions(in arguments: [String]) throws(CommandFailure) {
        let words = normalised(arguments)
        let changesSecret = words.starts(with: ["item", "update"])
        for (index, word) in words.enumerated() {
            guard word != "--" else { return }
            guard let option = option(word) else { continue }
            let next = words.indices.contains(index + 1) ? words[index + 1] : nil
            if option.name.hasSuffix("-fd") {
                guard let value = option.value ?? next, Int32(value) == nil else { continue }
                throw .secretInArguments(
                    what: "The value of --\(option.name) is not a number.", descriptor: "--\(option.name)")
            }
            if changesSecret, option.name == "secret", option.value == nil {
                // A flag there: what follows is a pair of the query, or another option.
                guard let next, !next.hasPrefix("-"), !next.contains("=") else { continue }
                throw .secretInArguments(what: "A value stands after --secret.")
            }
            guard isSecretName(option.name), !isPath(option.name, of: words) else { continue }
            throw .secretInArguments(
                what: "The command has no option for a passcode or a secret.",
                descriptor: descriptor(for: option.name, of: words))
        }
    }

    /// The name of a long option, also of one that is typed with a single hyphen, and the value behind its `=`.
    private static func option(_ word: String) -> (name: String, value: String?)? {
        guard word.hasPrefix("-") else { return nil }
        let isLong = word.hasPrefix("--")
        let text = word.dropFirst(isLong ? 2 : 1)
        let name = text.prefix { $0 != "=" }
        let value = name.count < text.count ? String(text.dropFirst(name.count + 1)) : nil
        // With one hyphen, short words are flags in a row.
        guard isLong || name.count >= 6 else { return nil }
        return (name.lowercased(), value)
    }

    private static let passcodeNames = ["passcode", "pin"]
    private static let secretDescriptors = ["--secret-fd", "--password-fd", "--passphrase-fd"]

    /// The option of the command for what an option of that name was meant to give; nil if it has none.
    private static func descriptor(for name: String, of words: [String]) -> String? {
        guard let command = CommandShape.tool?.command(named: words).command else { return "--passcode-fd" }
        let known = command.ownOptionNames
        let passcode = known.contains("--passcode-fd") ? "--passcode-fd" : nil
        let isPasscode = passcodeNames.contains { name.hasSuffix($0) || name.hasPrefix($0) }
        return isPasscode ? passcode : secretDescriptors.first(where: known.contains) ?? passcode
    }

    /// True for an option whose value is the path of a file.
    private static func isPath(_ name: String, of words: [String]) -> Bool {
        name == "password-file" && words.first == "sync"
    }

    private static func isSecretName(_ name: String) -> Bool {
        prefixes.contains { prefix in
            name.hasPrefix(prefix)
                && secretNames.contains { secret in
                    let rest = name.dropFirst(prefix.count)
                    return secret.utf8.count > 3 ? rest.hasPrefix(secret) : rest == secret || rest == secret + "d"
                }
        }
    }
}
