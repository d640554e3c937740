import LatchkeyCodeSignature
package import LatchkeyKeychainMessages

/// The texts of a prompt. Every line but the first begins with our own word for the rest; a program's text stands
/// between quotation marks, and continuation lines are indented.
package struct PromptWords: Sendable, Hashable {
    package static let title = "Latchkey"
    private static let columns = 68
    private static let indentation = "    "

    /// The question, the program that asks, and the reason.
    package let lines: [String]
    /// The failure of the previous try.
    package let notice: String?
    /// The label before the input.
    package let label: String
    package let repeatLabel = "The same again: "
    /// The title of the way other than a finger; nil if there is none.
    package let fallback: String?
    package let cancel: String

    package init(_ prompt: Prompt) {
        let question: String
        switch prompt.kind {
        case .finger: (question, label) = ("Touch the fingerprint reader.", "")
        case .passcode: (question, label) = ("The passcode of this device is needed.", "Passcode: ")
        case .applicationPassword(isNew: false):
            (question, label) = ("A password of this program's own is needed.", "Password: ")
        case .applicationPassword(isNew: true):
            (question, label) = ("This program wants a new password, for a new item.", "New password: ")
        }
        let team = prompt.team.map { "signed by " + ProgramWords.quoted($0, limit: 140) } ?? "unsigned program"
        let reason = ProgramWords.shown(prompt.reason, limit: 300)
        lines =
            [question]
            + (prompt.device.map { Self.wrapped("Device: " + ProgramWords.quoted($0, limit: 200)) } ?? [])
            + Self.wrapped("Program: " + ProgramWords.quoted(prompt.program, limit: 200))
            + Self.wrapped("This is: \(team), assurance level \(prompt.level.rawValue)")
            + (prompt.item.map { Self.wrapped("For: " + ProgramWords.quoted($0, limit: 80)) } ?? [])
            + Self.wrapped(reason.isEmpty ? "It gives no reason." : "It says: \"\(reason)\"")
        notice = prompt.notice.map { ProgramWords.shown($0, limit: 200) }.flatMap { $0.isEmpty ? nil : $0 }
        cancel = Self.button(prompt.cancelTitle) ?? "Cancel"
        fallback = prompt.fallbackTitle == "" ? nil : Self.button(prompt.fallbackTitle) ?? "Use passcode"
    }

    /// The lines as one text.
    package var text: String { lines.joined(separator: "\n") }

    /// Returns nil if the program's title has no visible text. Underscores would underline letters.
    private static func button(_ title: String?) -> String? {
        guard let title else { return nil }
        let words = ProgramWords.shown(title.replacing("_", with: " "), limit: 48)
        return words.isEmpty ? nil : words
    }

    /// Breaks a line that a terminal would break, so that no second line begins like one of ours.
    private static func wrapped(_ line: String) -> [String] {
        var lines: [String] = []
        var current = String.UnicodeScalarView()
        var width = 0
        for scalar in line.unicodeScalars {
            let next = ProgramWords.width(of: scalar)
            if width + next > columns {
                lines.append(String(current))
                current = indentation.unicodeScalars
                width = indentation.count
            }
            current.append(scalar)
            width += next
        }
        return lines + [String(current)]
    }
}
