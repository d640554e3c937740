import Testing

@testable import LatchkeyDatabaseFiles

@Suite("The locks of connections on a database")
struct DatabaseLocksTests {
    private let first = ConnectionNumber(number: 1)
    private let second = ConnectionNumber(number: 2)
    private let third = ConnectionNumber(number: 3)

    /// The locks, which expectations change.
    private final class Table {
        private(set) var locks = DatabaseLocks()

        var isReserved: Bool { locks.isReserved }
        func level(of connection: ConnectionNumber) -> DatabaseLocks.Level { locks.level(of: connection) }
        func raise(_ connection: ConnectionNumber, to level: DatabaseLocks.Level) -> Bool {
            locks.raise(connection, to: level)
        }
        func lower(_ connection: ConnectionNumber, to level: DatabaseLocks.Level) { locks.lower(connection, to: level) }
    }

    @Test("many read while one prepares to write")
    func reserved() {
        let locks = Table()
        for connection in [first, second] { #expect(locks.raise(connection, to: .shared)) }
        #expect(!locks.isReserved)
        #expect(locks.raise(first, to: .reserved))
        #expect(locks.isReserved)
        #expect(!locks.raise(second, to: .reserved))
        #expect(locks.raise(third, to: .shared))
    }

    @Test("one that wants to write waits for those who read, and no further one begins")
    func pending() {
        let locks = Table()
        for connection in [first, second] { #expect(locks.raise(connection, to: .shared)) }
        #expect(locks.raise(first, to: .reserved))
        #expect(!locks.raise(first, to: .exclusive))
        #expect(locks.level(of: first) == .pending)
        #expect(!locks.raise(third, to: .shared))
        locks.lower(second, to: .none)
        #expect(locks.raise(first, to: .exclusive))
        #expect(!locks.raise(third, to: .shared))
        locks.lower(first, to: .shared)
        #expect(locks.raise(third, to: .shared))
        #expect(!locks.isReserved)
    }

    @Test("a journal is rolled back by one connection: from reading to alone, past none that prepares")
    func rollback() {
        let locks = Table()
        for connection in [first, second] { #expect(locks.raise(connection, to: .shared)) }
        #expect(!locks.raise(first, to: .exclusive))
        #expect(!locks.raise(second, to: .exclusive), "the first is pending")
        locks.lower(second, to: .none)
        #expect(locks.raise(first, to: .exclusive))
    }

    @Test("a lock that is there is not lowered by a smaller wish")
    func idempotent() {
        let locks = Table()
        #expect(locks.raise(first, to: .exclusive))
        #expect(locks.raise(first, to: .shared))
        #expect(locks.level(of: first) == .exclusive)
        locks.lower(first, to: .none)
        #expect(locks.level(of: first) == .none)
    }
}
