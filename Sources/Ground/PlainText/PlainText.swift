/// The rule for the characters of foreign text on a terminal, in a prompt or in a log.
///
/// The path of a program, an access group, the label of an item or the name in a certificate may contain anything: line
/// breaks that forge a line, escape sequences, C1 controls that some terminals interpret, and marks that change the
/// direction of writing. All code that shows such text uses this rule.
package enum PlainText {
    /// Returns true if a character is invisible and may change the position, order or meaning of the text around it:
    /// controls (C0, DEL, C1), format characters (U+200E, U+202A to U+202E, U+2066 to U+2069 …), line and paragraph
    /// separators, and characters without a standard meaning.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x7F else { return scalar.value < 0x20 }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }

    /// Returns true if every character of a text is visible.
    package static func isShown(_ text: String) -> Bool {
        !text.unicodeScalars.contains(where: isHidden)
    }

    /// Escapes a value for one line: every hidden character, including line breaks, becomes `\u{…}`.
    package static func escaped(_ text: String) -> String {
        escaped(text) { _ in false }
    }

    /// Escapes a whole text whose line breaks and tabs are our own: every other hidden character becomes `\u{…}`.
    /// Values in it that may have line breaks must have gone through ``escaped(_:)`` before.
    package static func escapedLines(_ text: String) -> String {
        escaped(text) { $0 == "\n" || $0 == "\t" }
    }

    private static func escaped(_ text: String, but isOurs: (Unicode.Scalar) -> Bool) -> String {
        guard text.unicodeScalars.contains(where: { isHidden($0) && !isOurs($0) }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isHidden(scalar), !isOurs(scalar) else {
                result.append(scalar)
                continue
            }
            result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
        }
        return String(result)
    }

    /// Cuts a text to so many bytes and adds an ellipsis; does not split characters.
    package static func cut(_ text: String, to byteLimit: Int) -> String {
        guard text.utf8.count > byteLimit else { return text }
        var left = byteLimit
        let kept = text.unicodeScalars.prefix { scalar in
            left -= UTF8.width(scalar)
            return left >= 0
        }
        return String(kept) + "…"
    }

    /// Escapes a hidden character for a JSON string: `\u202e`, beyond U+FFFF two of them. Nil for one that needs no
    /// escape.
    package static func jsonEscape(_ scalar: Unicode.Scalar) -> String? {
        guard isHidden(scalar) else { return nil }
        return UTF16.encode(scalar).map { units in
            units.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }
}
