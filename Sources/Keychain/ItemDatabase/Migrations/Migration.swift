/// One step from a format of `keychain.db` to the next, in the words that SQLite gets; `Docs/Formats/item-database.md`
/// describes what the last one leaves.
///
/// A step that was released never changes: a file of that format somewhere was made by these very words, and the next
/// step counts on what they made. A new attribute is a row in `ItemSchema` and a step here.
package struct Migration: Sendable {
    /// The format that it leads to, by which a file remembers that it was done.
    package let format: String
    package let statements: String

    init(_ format: String, _ statements: String) {
        self.format = format
        self.statements = statements
    }

    package static let all = [format1, format2, format3, format4, format5, format6]
}
