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
        try refusePassphrases(in: arguments)
        guard let start = arguments.firstIndex(where: addingCommands.contains) else { return }
        let isGeneric = arguments[start] == "add-generic-password"
        var rest = arguments[(start + 1)...]
        while let argument = rest.popFirst() {
            if let flag = ["-w", "-X"].first(where: argument.hasPrefix) {
                let isAttached = argument.utf8.count > 2
                let hasValue = rest.first.map { !$0.hasPrefix("-") || $0 == "-" } ?? false
                guard !isAttached, !hasValue else { throw .secretInArguments(what: "A value stands after \(flag).") }
                continue
            }
            // On macOS `-p` of the generic command is an old way to give the password.
            if isGeneric, argument.hasPrefix("-p"), !argument.hasPrefix("--") {
                throw .secretInArguments(what: "A value stands after -p.")
            }
            if argument.hasPrefix("--password") || argument.hasPrefix("--secret=") || argument == "--secret" {
                throw .secretInArguments(what: "The command has no option for a secret.")
            }
            if valueOptions.contains(argument) { _ = rest.popFirst() }
        }
    }

    private static let passphraseCommands: Set<String> = ["import", "export"]

    /// On macOS `import -P` and `export -P` are ways to give the passphrase; `--passphrase` is what people try next.
    private static func refusePassphrases(in arguments: [String]) throws(CommandFailure) {
        let words = normalised(arguments)
        guard let command = words.first, passphraseCommands.contains(command) else { return }
        for argument in words.dropFirst() where argument != "--passphrase-fd" {
            let isOfDescriptor = argument.hasPrefix("--passphrase-fd=")
            let isLong = argument.hasPrefix("--passphrase") || argument.hasPrefix("--password")
            guard isLong && !isOfDescriptor || argument.hasPrefix("-P") else { continue }
            throw .secretInArguments(what: "The command has no option for a passphrase.", descriptor: "--passphrase-fd")
        }
    }

    /// What the parser gets: the common options may stand before the command, and a negative number after `error` is
    /// a number.
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
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        rest.insert(contentsOf: leading, at: end)
        return Array(rest)
    }

    private static func isNegativeNumber(_ text: String) -> Bool {
        text.hasPrefix("-") && text.utf8.count > 1 && text.dropFirst().allSatisfy(\.isNumber)
    }
}
