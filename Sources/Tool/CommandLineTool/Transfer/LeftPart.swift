import LatchkeyPlainText

/// A part of a file with passwords that no item has after the import: by line and column, never by its value.
package struct LeftPart: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// Columns with a value that no attribute takes, by their names.
        case columns([String])
        /// A record that makes the item of an earlier line with another content.
        case sameItem(asLine: Int)
        case withoutPassword
        /// Parts of the URL, as a sentence names them.
        case urlParts([String])
        case furtherURLs
        /// The default entry of a netrc file, which names no machine.
        case defaultEntry
        /// A macro of a netrc file.
        case macro
    }

    /// From 1.
    package let line: Int
    package let kind: Kind

    package init(line: Int, _ kind: Kind) {
        self.line = line
        self.kind = kind
    }

    /// The names of columns come from the file, and may be as long as a value.
    private static let nameByteLimit = 64

    package var columns: [String] {
        guard case .columns(let names) = kind else { return [] }
        return names.map { PlainText.cut($0, to: Self.nameByteLimit) }
    }

    package var sentence: String {
        switch kind {
        case .columns:
            let names = columns.map { $0.isEmpty ? "without a name" : PlainText.escaped($0) }
            let (noun, verb) = names.count == 1 ? ("column", "was") : ("columns", "were")
            return "Line \(line): the \(noun) \(Self.list(names)) \(verb) not imported."
        case .sameItem(let first):
            return "Line \(line): the item of line \(first) again with another content; it was not imported."
        case .withoutPassword: return "Line \(line): a record without a password; it was not imported."
        case .urlParts(let parts):
            return "Line \(line): \(Self.list(parts)) of the URL \(parts.count == 1 ? "was" : "were") not imported."
        case .furtherURLs: return "Line \(line): the URLs behind the first were not imported."
        case .defaultEntry: return "Line \(line): the default entry names no machine; it was not imported."
        case .macro: return "Line \(line): a macro (macdef); it was not imported."
        }
    }

    private static func list(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }

    var json: JSONValue {
        .object([
            ("line", .integer(Int64(line))), ("columns", .array(columns.map(JSONValue.string))),
            ("why", .string(sentence)),
        ])
    }
}
