/// The locks of SQLite on one database, between the connections of this process.
///
/// The levels and their rules are those of SQLite ("File Locking And Concurrency In SQLite Version 3"): many connections
/// read, one of them may prepare changes, and one that writes is alone.
struct DatabaseLocks {
    enum Level: Int32, Comparable {
        case none, shared, reserved, pending, exclusive

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// Those that hold a lock.
    private var levels: [ConnectionNumber: Level] = [:]

    func level(of connection: ConnectionNumber) -> Level { levels[connection] ?? .none }

    /// True if a connection prepares or makes changes.
    var isReserved: Bool { levels.values.contains { $0 >= .reserved } }

    /// Raises the lock of a connection.
    ///
    /// - Returns: false if another connection is in the way. A connection that asks for the exclusive lock is pending then:
    ///   no further one begins to read.
    mutating func raise(_ connection: ConnectionNumber, to wanted: Level) -> Bool {
        guard wanted > level(of: connection) else { return true }
        let highest = levels.lazy.filter { $0.key != connection }.map(\.value).max() ?? .none
        switch wanted {
        case .none: return true
        case .shared:
            guard highest < .pending else { return false }
        case .reserved:
            guard highest < .reserved else { return false }
        case .pending, .exclusive:
            guard highest < .reserved else { return false }
            guard highest == .none else {
                levels[connection] = .pending
                return false
            }
        }
        levels[connection] = wanted
        return true
    }

    mutating func lower(_ connection: ConnectionNumber, to wanted: Level) {
        guard wanted < level(of: connection) else { return }
        levels[connection] = wanted == .none ? nil : wanted
    }
}

/// The number of an open main database: each connection has its own.
struct ConnectionNumber: Hashable, Sendable {
    let number: UInt64
}
