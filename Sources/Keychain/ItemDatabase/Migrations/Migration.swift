/// One step from a format of `keychain.db` to the next, as SQL. `Docs/Formats/item-database.md` describes the result of
/// the last step.
///
/// A released step must never change: existing files were made by exactly this SQL, and the next step depends on its
/// result. A new attribute is a row in `ItemSchema`, a new step, and a column in ``NewTables``.
package struct Migration: Sendable {
    /// The format that the step produces. A file records this name once the step is done.
    package let format: String
    package let statements: String

    init(_ format: String, _ statements: String) {
        self.format = format
        self.statements = statements
    }

    package static let all = [format1, format2, format3, format4, format5, format6, format7, format8, format9]
}
