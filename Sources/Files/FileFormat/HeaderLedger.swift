/// The two header copies on disk: which one holds the latest synchronized state, and must not be overwritten.
struct HeaderLedger: Sendable {
    /// Index of the copy that the file in memory was read from or written to last.
    var latest: Int
    /// Index of the copy with the latest settled header; nil in a file that never was synchronized.
    var anchor: Int?
    /// The scope in which this opening saw the anchor become durable; nil for a header that was merely found, which
    /// may be in memory of the kernel only.
    var confirmed: SyncScope?
    /// The highest number that either copy has or may have.
    var generation: UInt64

    /// True if nothing is left to wait for.
    func isConfirmed(_ scope: SyncScope) -> Bool { confirmed == .full || confirmed == scope }

    /// Index of the copy to write next.
    var target: Int { 1 - (anchor ?? latest) }
}
