import LatchkeySecretMemory

/// The journals that databases of this process do not have.
///
/// SQLite asks for them before each reading transaction. A process that writes a database is alone with it, so a journal that
/// was not there is not there until this process makes it. One that appears in another way is not the database's.
enum AbsentJournals {
    private struct State {
        var paths: Set<DatabasePath> = []
        /// Counts the files that were made.
        var made: UInt64 = 0
    }

    private static let state = ProcessMutex(State())

    static func contains(_ path: DatabasePath) -> Bool {
        state.withLock { $0.paths.contains(path) }
    }

    /// The number to give to ``note(_:asOf:)``, taken before the system is asked for a file.
    static var now: UInt64 { state.withLock { $0.made } }

    /// Notes a file that is not there, if it is a journal of a database that this process writes. Another thread may have made it
    /// since the system was asked: then nothing is noted.
    static func note(_ path: DatabasePath, asOf moment: UInt64) {
        guard let database = path.databaseOfJournal, SharedDatabase.isWritten(at: database) else { return }
        state.withLock { state in
            if state.made == moment { state.paths.insert(path) }
        }
    }

    /// Forgets a file that was made.
    static func forget(_ path: DatabasePath) {
        state.withLock { state in
            state.made += 1
            state.paths.remove(path)
        }
    }

    /// Forgets the journals of a database that is closed, or that another file has become.
    static func forget(journalsOf database: DatabasePath) {
        state.withLock { state in
            state.made += 1
            state.paths.subtract(database.journals)
        }
    }
}
