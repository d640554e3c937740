import LatchkeyThreading

@_implementationOnly import GRDB

/// The prepared statements of the connections that read: to prepare one takes longer than most reads.
final class ReaderStatements: Sendable {
    private struct Prepared: @unchecked Sendable {
        // Sendable because only the thread that has the connection uses its statements.
        let statements: ConnectionStatements
    }

    /// By the handle of the connection. It is not given to another one before the statements are gone.
    private let known = ForkMutex<[UInt: Prepared]>([:])

    /// - Parameter db: a connection that the calling thread has for itself.
    func statements(of db: Database) throws -> ConnectionStatements {
        let handle = unsafe try db.openHandle
        let key = UInt(bitPattern: handle)
        if let prepared = known.withLock({ $0[key] }) { return prepared.statements }
        let made = unsafe Prepared(statements: ConnectionStatements(handle))
        known.withLock { $0[key] = made }
        return made.statements
    }

    /// Releases the statements; a connection in use releases them after it. No connection can be closed before.
    func close() {
        let all = known.withLock { known in
            defer { known = [:] }
            return known
        }
        // They are finalized here, outside of the lock.
        withExtendedLifetime(all) {}
    }
}
