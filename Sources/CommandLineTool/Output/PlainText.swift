/// Text of unknown origin for a terminal: a program's path or a group may contain anything.
enum PlainText {
    /// Line breaks, control characters and marks that turn the direction of writing become `\u{…}`.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
