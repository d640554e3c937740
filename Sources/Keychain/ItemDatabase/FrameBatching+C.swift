@_implementationOnly import CLatchkeyItemLog

/// The writing of a transaction's frames into the log with one call, in place of two calls for each (`CItemLog/log.c`).
package enum FrameBatching {
    /// The name of the file system, for a database that chooses it by itself.
    package static var fileSystem: String { unsafe String(cString: lk_item_log_name) }

    /// Adds the file system to SQLite's list. Not to be called by two threads at once. Without it databases are the same, and slower. A
    /// connection that writes by it needs `PRAGMA cache_spill = OFF`, as those of ``ItemDatabase`` have it.
    ///
    /// - Parameter forAll: true in a process whose databases are all its own: those that it opens from now on have it.
    /// - Returns: false if SQLite did not take it.
    @discardableResult
    package static func register(forAll: Bool) -> Bool { lk_item_log_register(forAll ? 1 : 0) == 0 }
}
