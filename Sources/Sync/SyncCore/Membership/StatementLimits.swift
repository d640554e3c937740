/// Limits of statements and of their parts (Docs/Formats/sync.md).
package enum StatementLimits {
    package static let members = 64
    package static let statements = 10_000
    package static let statementsPerAuthor = 1_000
    package static let parents = 16
    /// More than the members and the recovery keys: concurrent admissions can exceed ``members``. As many fit in one statement.
    package static let shares = 100
    package static let earlierEpochs = 64
    package static let groups = 128
    package static let groupByteCount = 512
    /// Of values in the property list, and of its depth.
    static let values = 1024
    static let depth = 6
}
