import Dispatch
import Glibc
import LatchkeyThreading

@_implementationOnly import GRDB

/// Lets concurrent writers share one commit and one sync of the disk.
///
/// There is no writer thread. The first writer to arrive leads: it runs its own job and all waiting jobs in one
/// transaction, commits, and makes the first job that arrived meanwhile the next leader. A job that fails before it has
/// changed anything has no effect on the others. If a job fails later, the transaction starts again with a savepoint
/// for each job; SQLite then copies every page that two jobs change.
final class GroupCommit: Sendable {
    /// The maximum number of jobs in a transaction. Further jobs wait for the next one, so that no writer waits long.
    private static let batchSize = 64

    private final class Job: @unchecked Sendable {
        // Sendable because the leader writes `outcome` before it signals, and the job's owner reads it after waiting.
        enum Outcome {
            case waiting
            case leads
            case finished(Result<Void, any Error>)
        }

        let work: (ItemWriter) throws -> Void
        let turn = DispatchSemaphore(value: 0)
        var outcome = Outcome.waiting

        init(_ work: @escaping (ItemWriter) throws -> Void) {
            self.work = work
        }
    }

    private struct Queue {
        var waiting: [Job] = []
        var hasLeader = false
        /// The thread that runs a batch. A job that called `run` again on this thread would wait for itself.
        var runningThread: pthread_t?
    }

    private let queue = ForkMutex(Queue())
    private let hidden: SharedHiddenObject
    private var writer: DatabasePool { hidden.object(as: DatabasePool.self) }
    private let connection: WriterConnection
    /// A function that were itself the value of a `Mutex` would get one more wrapper at each look, and all of them would run at a call.
    private struct ChangeHandlers {
        var ofShared: (@Sendable () -> Void)?
        var ofItems: (@Sendable (ChangedGroups) -> Void)?
    }

    private let changeHandlers = ForkMutex(ChangeHandlers())

    /// - Parameter clock: the time in the unit of the tables.
    init(writer: DatabasePool, clock: @escaping @Sendable () -> Int64) {
        hidden = SharedHiddenObject(writer)
        connection = WriterConnection(clock: clock)
    }

    /// Calls `handler` after each commit with changes by programs that other devices are to get.
    func whenSharedChange(_ handler: @escaping @Sendable () -> Void) {
        changeHandlers.withLock { $0.ofShared = handler }
    }

    /// Calls `handler` after each commit that changed items.
    func whenItemsChange(_ handler: @escaping @Sendable (ChangedGroups) -> Void) {
        changeHandlers.withLock { $0.ofItems = handler }
    }

    /// The number of writers that wait for the next transaction.
    var testOnlyWaitingWriters: Int { queue.withLock { $0.waiting.count } }

    /// Runs `work` in a transaction and returns after the sync. If it throws, its changes are undone.
    func run(_ work: @escaping (ItemWriter) throws -> Void) throws {
        guard queue.withLock({ $0.runningThread != pthread_self() }) else {
            throw ItemDatabaseFailure.other(code: -1, message: "a transaction inside a transaction")
        }
        let job = Job(work)
        let leads = queue.withLock { queue in
            queue.waiting.append(job)
            defer { queue.hasLeader = true }
            return !queue.hasLeader
        }
        if !leads { job.turn.wait() }
        if case .finished(let result) = job.outcome { return try result.get() }
        lead()
        if case .finished(let result) = job.outcome { return try result.get() }
    }

    private func lead() {
        let batch = queue.withLock { queue in
            let batch = Array(queue.waiting.prefix(Self.batchSize))
            queue.waiting.removeFirst(batch.count)
            queue.runningThread = pthread_self()
            return batch
        }
        commit(batch)
        let next = queue.withLock { queue -> Job? in
            queue.hasLeader = !queue.waiting.isEmpty
            queue.runningThread = nil
            return queue.waiting.first
        }
        // The first job of the batch is the leader's own and does not wait for a signal.
        for job in batch.dropFirst() { job.turn.signal() }
        if let next {
            next.outcome = .leads
            next.turn.signal()
        }
    }

    private func commit(_ batch: [Job]) {
        var results: [Result<Void, any Error>] = []
        var isShared = false
        var changes = ChangedGroups()
        do {
            try writer.writeWithoutTransaction { db in
                let statements = try connection.statements(of: db)
                statements.hasSharedChange = false
                statements.changedGroups = ChangedGroups()
                try statements.run("BEGIN IMMEDIATE")
                do {
                    results = try Self.outcomes(of: batch, db, statements)
                    try statements.run("COMMIT")
                    isShared = statements.hasSharedChange
                    changes = statements.changedGroups
                } catch {
                    Self.rollBack(statements)
                    throw error
                }
            }
        } catch {
            results = batch.map { _ in .failure(error) }
        }
        for (job, result) in zip(batch, results) { job.outcome = .finished(result) }
        let handlers = changeHandlers.withLock { $0 }
        if isShared { handlers.ofShared?() }
        if !changes.isEmpty { handlers.ofItems?(changes) }
    }

    private static func outcomes(
        of batch: [Job], _ db: Database, _ statements: ConnectionStatements
    ) throws -> [Result<Void, any Error>] {
        var results: [Result<Void, any Error>] = []
        for job in batch {
            let before = statements.totalChangedRows
            let result = Result { try job.work(ItemWriter(db: db, connection: statements)) }
            if case .failure(let error) = result {
                let hasChanged = statements.totalChangedRows != before
                if statements.isOutsideTransaction || (hasChanged && batch.count == 1) { throw error }
                if hasChanged { return try outcomesOneByOne(of: batch, db, statements) }
            }
            results.append(result)
        }
        return results
    }

    private static func outcomesOneByOne(
        of batch: [Job], _ db: Database, _ statements: ConnectionStatements
    ) throws -> [Result<Void, any Error>] {
        try statements.run("ROLLBACK")
        try statements.run("BEGIN IMMEDIATE")
        return try batch.map { try savepoint($0, db, statements) }
    }

    /// Throws only if the whole transaction has ended.
    private static func savepoint(
        _ job: Job, _ db: Database, _ statements: ConnectionStatements
    ) throws -> Result<Void, any Error> {
        try statements.run("SAVEPOINT job")
        do {
            try job.work(ItemWriter(db: db, connection: statements))
            try statements.run("RELEASE job")
            return .success(())
        } catch {
            if statements.isOutsideTransaction { throw error }
            try statements.run("ROLLBACK TO job")
            try statements.run("RELEASE job")
            return .failure(error)
        }
    }

    private static func rollBack(_ statements: ConnectionStatements) {
        // Some errors have already ended the transaction.
        if !statements.isOutsideTransaction { try? statements.run("ROLLBACK") }
    }

    /// Releases the statements; the connection cannot be closed before.
    func close() {
        writer.writeWithoutTransaction { _ in connection.close() }
    }

    /// The prepared statements of the writer's connection. Used only on the connection's queue.
    private final class WriterConnection: @unchecked Sendable {
        // Sendable because the writer runs one block at a time.
        private var prepared: ConnectionStatements?
        private let clock: @Sendable () -> Int64

        init(clock: @escaping @Sendable () -> Int64) {
            self.clock = clock
        }

        func statements(of db: Database) throws -> ConnectionStatements {
            if let prepared { return prepared }
            let made = unsafe ConnectionStatements(try db.openHandle, clock: clock)
            prepared = made
            return made
        }

        func close() {
            prepared = nil
        }
    }
}

extension Database {
    /// SQLite's handle of an open connection.
    var openHandle: OpaquePointer {
        get throws(ItemDatabaseFailure) {
            guard let handle = unsafe sqliteConnection else {
                throw .other(code: -1, message: "the connection is closed")
            }
            return unsafe handle
        }
    }
}
