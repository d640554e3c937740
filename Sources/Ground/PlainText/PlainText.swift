/// The rule for the characters of foreign text on a terminal, in a prompt or in a log.
///
/// The path of a program, an access group, the label of an item or the name in a certificate may contain anything: line
/// breaks that forge a line, escape sequences, C1 controls that some terminals obey, and marks that turn the direction of
/// writing. All code that shows such text asks here.
package enum PlainText {
    /// Whether a character is invisible and may change the place, the order or the meaning of the text around it:
    /// controls (C0, DEL, C1), format characters (U+200E, U+202A to U+202E, U+2066 to U+2069 …), line and paragraph
    /// separators, and characters without a standard meaning.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x7F else { return scalar.value < 0x20 }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }

    /// Whether every character of a text can be seen.
    package static func isShown(_ text: String) -> Bool {
        !text.unicodeScalars.contains(where: isHidden)
    }

    /// A value on one line: every hidden character, line breaks too, becomes `\u{…}`.
    package static func escaped(_ text: String) -> String {
        escaped(text) { _ in false }
    }

    /// A whole text whose line breaks and tabs are our own: every other hidden character becomes `\u{…}`. Values in it
    /// that may have line breaks must have gone through ``escaped(_:)`` before.
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

    /// A text cut to as many bytes and an ellipsis; no character is cut in two.
    package static func cut(_ text: String, to byteLimit: Int) -> String {
        guard text.utf8.count > byteLimit else { return text }
        var left = byteLimit
        let kept = text.unicodeScalars.prefix { scalar in
            left -= UTF8.width(scalar)
            return left >= 0
        }
        return String(kept) + "…"
    }

    /// A hidden character in a JSON string: `\u202e`, beyond U+FFFF two of them. Nil for one that may stand as it is.
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
