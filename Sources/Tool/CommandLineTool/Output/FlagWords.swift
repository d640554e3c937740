package import LatchkeyKeychainMessages

/// Refusals in the words of the command line: the keychain names constants of the SDK, and the user gave flags.
package enum FlagWords {
    private static let phrases: [(constant: String, flag: String)] = [
        ("kSecUseAuthenticationUIFail, or set interactionNotAllowed to false", "--no-prompt"),
        ("narrow the query or give kSecMatchLimit a number", "name more of its attributes"),
        ("kSecUseAuthenticationUIFail", "--no-prompt"), ("kSecUseOperationPrompt", "--prompt"),
        ("kSecAttrSynchronizable", "--synchronizable"), ("kSecAttrAccessGroup", "--access-group"),
        ("kSecAttrAccessControl", "--require"), ("a kSecAttrAccessible constant", "a name that --help lists"),
    ]

    package static func translated(_ refusal: Refusal) -> Refusal {
        Refusal(ruleName: refusal.ruleName, reason: text(refusal.reason), advice: text(refusal.advice))
    }

    private static func text(_ text: String) -> String {
        let named = phrases.reduce(text) { $0.replacing($1.constant, with: $1.flag) }
        return named.replacing(/kSecAttrAccessible([A-Za-z]*)/) { match in
            let name = String(match.output.0)
            let readable = AccessibleName.code(from: name).flatMap(AccessibleName.readable)
            return match.output.1.isEmpty ? "--accessible" : readable ?? name
        }
    }
}
