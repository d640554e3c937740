package import LatchkeyKeybag

/// The classes of files by the names that people write.
package enum FileClassName {
    package static let table: [(name: String, letter: String, protection: FileProtection)] = [
        ("complete", "A", .complete),
        ("unless-open", "B", .completeUnlessOpen),
        ("until-first-unlock", "C", .completeUntilFirstUserAuthentication),
        ("none", "D", FileProtection.none),
    ]

    /// The class of a readable name, a letter, Apple's raw name, or the end of it; nil for another word.
    package static func protection(from text: String) -> FileProtection? {
        let plain = text.lowercased().filter { $0 != "-" }
        return table.first { row in
            let apple = row.protection.rawValue.lowercased()
            let short = String(apple.dropFirst("nsfileprotection".count))
            let names = [apple, short, row.letter.lowercased(), row.name.filter { $0 != "-" }]
            // `complete` is Foundation's prefix of the other names.
            return names.contains(plain) || plain == "complete" + short && short != "complete"
        }?.protection
    }

    package static func readable(_ protection: FileProtection) -> String {
        table.first { $0.protection == protection }?.name ?? protection.rawValue
    }

    /// For messages and help.
    package static var choices: String {
        table.map { "\($0.name) (\($0.letter))" }.joined(separator: ", ")
    }
}
