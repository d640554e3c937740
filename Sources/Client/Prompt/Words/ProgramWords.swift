import LatchkeyPlainText

/// Text that a program chose, made fit to be shown beside our own: one line, nothing invisible, nothing that changes
/// the direction or the place of what follows, and no quotation mark that could seem to end it.
package enum ProgramWords {
    /// - Parameter limit: how many bytes it may take in a pinentry's command, where `%` takes three.
    package static func shown(_ text: String, limit: Int) -> String {
        var result = String.UnicodeScalarView()
        var cost = 0
        var marks = 0
        var pendingSpace = false
        for scalar in text.unicodeScalars {
            guard let scalar = replaced(scalar) else {
                pendingSpace = !result.isEmpty
                continue
            }
            // Marks pile up on the letter before them, over the lines above.
            marks = isMark(scalar) ? marks + 1 : 0
            guard marks <= 2 else { continue }
            cost += (scalar == "%" ? 3 : UTF8.width(scalar)) + (pendingSpace ? 1 : 0)
            guard cost <= limit - 3 else {
                result.append("…")
                break
            }
            if pendingSpace { result.append(" ") }
            pendingSpace = false
            result.append(scalar)
        }
        return String(result)
    }

    /// The same between quotation marks.
    package static func quoted(_ text: String, limit: Int) -> String {
        "\"" + shown(text, limit: limit - 2) + "\""
    }

    /// How many columns of a terminal the text takes at most.
    package static func width(of scalar: Unicode.Scalar) -> Int {
        isMark(scalar) ? 0 : (scalar.value >= 0x1100 ? 2 : 1)
    }

    /// Nil for what becomes a space.
    private static func replaced(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        guard !PlainText.isHidden(scalar) else { return nil }
        return switch scalar.properties.generalCategory {
        case .spaceSeparator:
            nil
        case .initialPunctuation, .finalPunctuation:
            "'"
        default:
            // „ and 〝〞〟 are of another category; ＂ and ″ look like one.
            ["\"", "„", "〝", "〞", "〟", "＂", "″"].contains(scalar) ? "'" : invisible(scalar) ? nil : scalar
        }
    }

    /// Letters without a shape, which are no format characters.
    private static func invisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isDefaultIgnorableCodePoint || scalar.value == 0x2800
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: true
        default: false
        }
    }
}
