import LatchkeyKeychainMessages

extension ArgumentGuard {
    /// The commands of `latchkey sync` that take no word without an option, or a fingerprint alone: people type a code there.
    private static let codeCommands: Set<String> = ["create", "invite", "join", "approve", "recover", "recovery-code"]
    private static let codeValueOptions: Set<String> = [
        "--store", "--name", "--code-fd", "--device", "--passcode-fd", "--ca", "--certificate", "--key", "--user",
        "--password-file",
    ]

    /// Refuses what may be an invitation code or a recovery code, without repeating it: with one of them and the store a device gets
    /// every item.
    static func refuseCodes(in arguments: [String]) throws(CommandFailure) {
        var rest = normalised(arguments)[...]
        guard rest.popFirst() == "sync" else { return }
        while let option = rest.first, option.hasPrefix("-") {
            rest.removeFirst()
            if codeValueOptions.contains(option) { _ = rest.popFirst() }
        }
        guard let command = rest.popFirst(), codeCommands.contains(command) else { return }
        if command == "recovery-code", rest.first == "new" { rest.removeFirst() }
        var fingerprints = command == "approve" ? 1 : 0
        while let word = rest.popFirst() {
            let name = word.prefix { $0 != "=" }
            if word == "--", rest.isEmpty { return }
            guard word.hasPrefix("-"), word != "-", word != "--" else {
                guard fingerprints > 0, FingerprintText(word) != nil else {
                    throw codeInArguments("A word stands there that may be a code.")
                }
                fingerprints -= 1
                continue
            }
            if name == "--member" {
                let value = word == name ? rest.popFirst() : String(word.dropFirst(name.count + 1))
                guard let value, FingerprintText(value) == nil else { continue }
                throw codeInArguments("The value of --member is not a fingerprint, and may be a code.")
            }
            if name == "--owners-items" {
                let value = word == name ? rest.popFirst() : String(word.dropFirst(name.count + 1))
                guard let value, OwnersItems(rawValue: value) == nil else { continue }
                throw codeInArguments("The value of --owners-items is neither yes nor no, and may be a code.")
            }
            if name == "--code" || name.hasPrefix("--recovery") || name.hasPrefix("--invitation") {
                throw codeInArguments("The command has no option for a code.")
            }
            if codeValueOptions.contains(word) { _ = rest.popFirst() }
        }
    }

    private static func codeInArguments(_ what: String) -> CommandFailure {
        .secretInArguments(what: what, descriptor: "--code-fd")
    }
}
