import LatchkeyBackupFormat
import LatchkeyFileAccess
import LatchkeyFileFormat

/// The journals and logs of databases.
extension BackupRestoration {
    /// The tie of a file that is restored. A journal or log comes with its database alone: beside another one, for instance a
    /// newer one that stays, SQLite would take back what that one has.
    ///
    /// - Parameter failed: the files that could not be restored.
    func restoredTie(
        of record: FileRecord, _ target: RestoreTarget?, failed: [FailedFile]
    ) throws -> (tie: FileTie?, comes: Bool) {
        guard let tie = record.tie.flatMap({ FileTie($0) }) else {
            return (nil, try !isBesideKeptDatabase(record, target))
        }
        guard let count = tie.role.suffixByteCount else { return (tie, true) }
        guard let path = String(validating: record.path.utf8.dropLast(count), as: UTF8.self),
            let database = try backup.index.record(FileID(domain: record.domain, path: path))
        else { return (nil, false) }
        guard !failed.contains(where: { $0.path == database.name }) else { return (nil, false) }
        // A database that had no tie yet takes a journal without one.
        let own = database.tie == nil ? nil : tie
        guard own == nil || database.tie == FileTie(.database, of: tie.database).bytes else { return (nil, false) }
        guard let place = try target?.place(path, isMade: false),
            let former = try place.status(), EntryKind(former) == .file
        else { return (own, true) }
        // The one that has just been restored is the same.
        return (own, try decision(database, backup.content(of: database), former, place) != .kept)
    }

    /// True for a journal or log without a tie, as backups of earlier versions have them, beside a database that stays
    /// here.
    private func isBesideKeptDatabase(_ record: FileRecord, _ target: RestoreTarget?) throws -> Bool {
        guard let suffix = ["-journal", "-wal"].first(where: { record.path.hasSuffix($0) }),
            let path = String(validating: record.path.utf8.dropLast(suffix.utf8.count), as: UTF8.self), !path.isEmpty,
            let place = try target?.place(path, isMade: false),
            let former = try place.status(), EntryKind(former) == .file
        else { return false }
        guard let database = try backup.index.record(FileID(domain: record.domain, path: path)) else { return true }
        return try decision(database, backup.content(of: database), former, place) == .kept
    }
}

extension FileTie.Role {
    /// The number of bytes that SQLite appends to the name of a database; nil for the database.
    fileprivate var suffixByteCount: Int? {
        switch self {
        case .database: nil
        case .journal: "-journal".utf8.count
        case .log: "-wal".utf8.count
        case .superJournal: "-mj000000000".utf8.count
        }
    }
}
