import LatchkeySecretMemory

@_implementationOnly import CLatchkeyItemLog

/// The note that this process has a database open: its children see by it that SQLite's list of locks is not theirs
/// (`CItemLog/process.c`).
@safe struct OpenDatabase: @unchecked Sendable {
    // Sendable because the note is changed by atomic operations alone.
    private let note: OpaquePointer?
    private let process = ProcessMark.current

    /// Keeps SQLite from sharing the locks of a parent that has the file open. To be called before the file is opened.
    static func begin(_ path: String) throws(ItemDatabaseFailure) {
        let outcome = unsafe lk_item_database_begin(path, ProcessMark.current.number)
        guard outcome == 0 else {
            throw .other(code: outcome, message: "SQLite would use the locks of the parent of this process")
        }
    }

    /// Notes that the file is open.
    init(_ path: String) {
        unsafe note = unsafe lk_item_database_note(path, process.number)
    }

    /// Notes that the file is closed. A child says nothing about its parent's files.
    func forget() {
        if process == .current { unsafe lk_item_database_forget(note) }
    }
}
