import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

/// A database that connections of this process have open: its file, and their locks on it. Safe to call from many threads.
final class SharedDatabase: @unchecked Sendable {
    // Sendable because every variable is used under `lock` alone.
    let file: OpenFile
    /// The device of the file. Journals belong to the same one.
    let vault: FileVault
    let ties: DatabaseTies
    /// The path under which the first connection opened it.
    private let path: DatabasePath
    private let identity: FileIdentity?

    private let lock = ForkMutex(())
    private var isWritten = false
    private var locks = DatabaseLocks()
    private var index: WriteAheadIndex?
    private var indexUsers: Set<ConnectionNumber> = []
    private weak var openLog: OpenFile?
    private var logPath: DatabasePath?
    private weak var openJournal: OpenFile?
    /// Failures to write out when the lock for writing a log was given up, which SQLite does not look at.
    private var missedFailures: [ConnectionNumber: AccessFailure] = [:]
    /// The losses of the files until a connection took a lock under which it writes.
    private var lossesBefore: [Writing: Losses] = [:]
    /// A rollback journal that SQLite has closed. Open here, it keeps its key: SQLite opens journals of the modes `truncate`
    /// and `persist` for each transaction, and could not do so while the device is locked.
    private var journal: (path: DatabasePath, file: OpenFile)?

    /// The work of one connection under a lock.
    struct Writing: Hashable {
        enum Lock { case rollback, log, copying }

        let connection: ConnectionNumber
        let lock: Lock
    }

    /// The losses of the database and of its log (``OpenFile/lossCount``).
    private struct Losses: Equatable {
        let database: UInt64
        let log: UInt64
    }

    private struct Entry: Sendable {
        weak var database: SharedDatabase?
        var connections: Set<ConnectionNumber> = []
    }

    /// Those that connections have open. A child of `fork` has none: those of its parent refuse there.
    private static let databases = ProcessMutex<[ObjectIdentifier: Entry]>([:])

    private init(_ file: OpenFile, _ ties: DatabaseTies, _ vault: FileVault, path: String) {
        self.file = file
        self.ties = ties
        self.vault = vault
        self.path = DatabasePath(path)
        identity = FileIdentity(ofFileAt: path)
    }

    /// The database of a file that a connection has opened; until ``leave(_:)`` others find it.
    static func join(
        _ connection: ConnectionNumber, _ file: OpenFile, in vault: FileVault, path: String
    ) throws(AccessFailure) -> SharedDatabase {
        let ties = try DatabaseTies(file)
        return databases.withLock { open in
            // A database that lives keeps its file alive, so the file's identity is of no other one.
            if let known = open[ObjectIdentifier(file)]?.database {
                open[ObjectIdentifier(file)]?.connections.insert(connection)
                return known
            }
            open = open.filter { $0.value.database != nil }
            // A file that took the place of another may have come with a journal.
            AbsentJournals.forget(journalsOf: DatabasePath(path))
            let made = SharedDatabase(file, ties, vault, path: path)
            open[ObjectIdentifier(file)] = Entry(database: made, connections: [connection])
            return made
        }
    }

    /// Called when a connection is closed. After the last one no other thread holds the database or comes to hold it,
    /// so that its file is closed when the connection lets it go.
    func leave(_ connection: ConnectionNumber) {
        Self.databases.withLock { open in
            let key = ObjectIdentifier(file)
            open[key]?.connections.remove(connection)
            if open[key]?.connections.isEmpty == true { open[key] = nil }
        }
    }

    /// The database that this process has open from a path; nil if it has not.
    ///
    /// Connections are opened on any thread, and not every thread knows the device that is current for the program.
    static func open(at path: String) -> SharedDatabase? {
        guard let identity = FileIdentity(ofFileAt: path) else { return nil }
        return all { $0.identity == identity }.first
    }

    deinit {
        AbsentJournals.forget(journalsOf: path)
    }

    /// Notes that a connection may write, so that no other process has the file open.
    func noteWriting() {
        lock.withLock { _ in isWritten = true }
    }

    /// True if this process has the database of a path open for writing.
    static func isWritten(at path: DatabasePath) -> Bool {
        databases.withLock { open in
            open.values.contains { entry in
                guard let database = entry.database, database.path == path else { return false }
                return database.lock.withLock { _ in database.isWritten }
            }
        }
    }

    /// The databases of which something is true. The others are let go under the lock: looking at one must not keep it
    /// open.
    private static func all(where isWanted: (SharedDatabase) -> Bool) -> [SharedDatabase] {
        databases.withLock { $0.values.compactMap(\.database).filter(isWanted) }
    }

    // MARK: Locks

    func raise(_ connection: ConnectionNumber, to level: DatabaseLocks.Level) -> Bool {
        let begins = level >= .reserved && self.level(of: connection) < .reserved
        guard lock.withLock({ _ in locks.raise(connection, to: level) }) else { return false }
        if begins { begin(Writing(connection: connection, lock: .rollback)) }
        return true
    }

    /// Lowers a lock. Changes are written out before, so that they outlast this process.
    func lower(_ connection: ConnectionNumber, to level: DatabaseLocks.Level) throws(AccessFailure) {
        let wrote = lock.withLock { _ in locks.level(of: connection) >= .reserved }
        defer {
            lock.withLock { _ in
                locks.lower(connection, to: level)
                if level < .reserved { lossesBefore[Writing(connection: connection, lock: .rollback)] = nil }
            }
        }
        if wrote { try file.writeOut() }
    }

    func level(of connection: ConnectionNumber) -> DatabaseLocks.Level {
        lock.withLock { _ in locks.level(of: connection) }
    }

    var isReserved: Bool { lock.withLock { _ in locks.isReserved } }

    // MARK: Journals

    /// The write-ahead log, while a connection has it open.
    var log: OpenFile? { lock.withLock { _ in openLog } }

    /// Notes the write-ahead log of the database.
    func use(log: OpenFile, path: String) {
        lock.withLock { _ in
            openLog = log
            logPath = DatabasePath(path)
        }
    }

    /// Notes the rollback journal that a connection opens.
    func use(journal: OpenFile) {
        lock.withLock { _ in openJournal = journal }
    }

    /// Keeps a rollback journal open that a connection closes.
    func keep(journal: OpenFile, path: String) {
        let former = lock.withLock { _ in
            defer { self.journal = (DatabasePath(path), journal) }
            return self.journal
        }
        withExtendedLifetime(former) {}
    }

    private var keptJournal: (path: DatabasePath, file: OpenFile)? { lock.withLock { _ in journal } }

    /// True if a rollback journal is kept that is empty: SQLite has to look into others.
    static func knowsEmptyJournal(_ path: DatabasePath) -> Bool {
        all { $0.keptJournal?.path == path }.contains { database in
            guard let journal = database.keptJournal, journal.path == path, let text = path.text,
                FileIdentity(ofFileAt: text) == journal.file.identity
            else { return false }
            return (try? journal.file.size()) == 0
        }
    }

    /// Called before a file is removed. A journal goes when the database no longer needs it: what that is must be written out.
    ///
    /// - Returns: true for a journal or log that a database of this process has had open.
    static func prepareRemoval(of path: DatabasePath) throws(AccessFailure) -> Bool {
        let databases = all { $0.hasJournal(path) }
        for database in databases {
            let former = database.lock.withLock { _ in
                defer { if database.journal?.path == path { database.journal = nil } }
                return database.journal
            }
            try database.file.writeOut()
            try database.expectNoLosses(of: .rollback)
            withExtendedLifetime(former) {}
        }
        return !databases.isEmpty
    }

    private func hasJournal(_ path: DatabasePath) -> Bool {
        lock.withLock { _ in journal?.path == path || logPath == path }
    }

    // MARK: The index of a write-ahead log

    func region(
        _ connection: ConnectionNumber, _ number: Int, byteCount: Int, extending: Bool
    ) -> UnsafeMutableRawPointer? {
        unsafe lock.withLock { _ in
            let index = self.index ?? WriteAheadIndex(regionByteCount: byteCount)
            self.index = index
            indexUsers.insert(connection)
            return unsafe SendablePointer(index.region(number, byteCount: byteCount, extending: extending))
        }.pointer
    }

    /// - Parameter writing: what the connection does under the lock, if it writes.
    func lockIndex(_ connection: ConnectionNumber, _ range: Range<Int>, alone: Bool, for writing: Writing.Lock?) -> Bool
    {
        guard lock.withLock({ _ in index?.lock(connection, range, alone: alone) ?? false }) else { return false }
        if let writing { begin(Writing(connection: connection, lock: writing)) }
        return true
    }

    func unlockIndex(_ connection: ConnectionNumber, _ range: Range<Int>) {
        lock.withLock { _ in index?.unlock(connection, range) }
    }

    func leaveIndex(_ connection: ConnectionNumber) {
        lock.withLock { _ in
            index?.unlock(connection, 0..<WriteAheadIndex.lockCount)
            indexUsers.remove(connection)
            missedFailures[connection] = nil
            for lock in [Writing.Lock.log, .copying] { lossesBefore[Writing(connection: connection, lock: lock)] = nil }
            // As without a file: the next connection recovers the index from the log.
            if indexUsers.isEmpty { index = nil }
        }
    }

    /// Writes out what a transaction or checkpoint has written: the database first, because a log that begins anew must not
    /// be found beside a database that lacks what it had.
    ///
    /// Called before the lock is given up. If something was lost, the index has pages that the files lack: it is made
    /// invalid, and the next connection recovers it from the log.
    func writeOutLog(_ connection: ConnectionNumber, _ work: Writing.Lock) throws(AccessFailure) {
        do throws(AccessFailure) {
            try file.writeOut()
            try log?.writeOut()
            try expectNoLosses(of: Writing(connection: connection, lock: work))
        } catch {
            if hasLosses(Writing(connection: connection, lock: work)) { lock.withLock { _ in index?.invalidate() } }
            // A failure to copy says nothing about the next commit: the log still has what was copied.
            if work == .log { lock.withLock { _ in missedFailures[connection] = error } }
            end(Writing(connection: connection, lock: work))
            throw error
        }
        end(Writing(connection: connection, lock: work))
    }

    /// Writes out a transaction that ends: the database before its journal, whose end would otherwise be in memory alone
    /// until the journal is closed.
    func writeOutCommit(_ connection: ConnectionNumber) throws(AccessFailure) {
        let (missed, journal, log) = lock.withLock { _ in
            (missedFailures.removeValue(forKey: connection), openJournal, openLog)
        }
        if let missed { throw missed }
        try file.writeOut()
        try journal?.writeOut()
        try log?.writeOut()
        try expectNoLosses(of: Writing(connection: connection, lock: .rollback))
    }

    // MARK: Losses

    private var losses: Losses { Losses(database: file.lossCount, log: log?.lossCount ?? 0) }

    private func begin(_ writing: Writing) {
        let losses = losses
        lock.withLock { _ in
            lossesBefore[writing] = losses
            // Of a transaction that was rolled back.
            if writing.lock == .log { missedFailures[writing.connection] = nil }
        }
    }

    private func end(_ writing: Writing) {
        lock.withLock { _ in lossesBefore[writing] = nil }
    }

    private func hasLosses(_ writing: Writing) -> Bool {
        let losses = losses
        return lock.withLock { _ in lossesBefore[writing].map { $0 != losses } ?? false }
    }

    /// Another connection, or the lock of the device, may have met the failure by which something of this work was lost.
    private func expectNoLosses(of writing: Writing) throws(AccessFailure) {
        if hasLosses(writing) { throw .file(.unsettled) }
    }

    private func expectNoLosses(of kind: Writing.Lock) throws(AccessFailure) {
        for writing in lock.withLock({ _ in Array(lossesBefore.keys) }) where writing.lock == kind {
            try expectNoLosses(of: writing)
        }
    }
}

/// A pointer that leaves a lock.
@safe private struct SendablePointer: @unchecked Sendable {
    // Sendable because what it points to lives as long as the connection that asked, which uses it as SQLite does.
    @unsafe let pointer: UnsafeMutableRawPointer?

    init(_ pointer: UnsafeMutableRawPointer?) {
        unsafe self.pointer = unsafe pointer
    }
}
