import LatchkeyPlainText

/// A program's text, made fit to be shown beside our own: one line, without invisible characters, without characters
/// that change the direction or the position of the rest, and without quotation marks that could seem to end it.
package enum ProgramWords {
    /// - Parameter limit: the maximum number of bytes in a pinentry's command, where `%` takes three.
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
            // Marks pile up on the letter before them and cover the lines above.
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

    /// Puts the text between quotation marks.
    package static func quoted(_ text: String, limit: Int) -> String {
        "\"" + shown(text, limit: limit - 2) + "\""
    }

    /// The maximum number of terminal columns for the scalar.
    package static func width(of scalar: Unicode.Scalar) -> Int {
        isMark(scalar) ? 0 : (scalar.value >= 0x1100 ? 2 : 1)
    }

    /// Replaces a scalar; returns nil if it becomes a space.
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

    /// Returns true for letters without a shape that are not format characters.
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
