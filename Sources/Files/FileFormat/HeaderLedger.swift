/// The two header copies on disk: which one holds the latest synchronized state, and must not be overwritten.
struct HeaderLedger: Sendable {
    /// Index of the copy that the file in memory was read from or written to last.
    var latest: Int
    /// Index of the copy with the latest settled header; nil in a file that never was synchronized.
    var anchor: Int?
    /// True if this opening saw the anchor become durable. A header that was merely found may be in memory of the
    /// kernel only.
    var isConfirmed = false
    /// The highest number that either copy has or may have.
    var generation: UInt64

    /// Index of the copy to write next.
    var target: Int { 1 - (anchor ?? latest) }
}
