import Foundation

/// Protected databases in a memory file system, against SQLite without protection and against SQLCipher.
enum DatabaseRows {
    /// The disk would decide these rows otherwise.
    private static let folder = "/dev/shm"

    static func rollback(_ session: Session) throws -> Finding {
        try run(session, "sqlite-speedtest", "delete", "plain", "SQLite without protection", .atLeast(0.8))
    }

    static func log(_ session: Session) throws -> Finding {
        try run(session, "sqlite-speedtest-wal", "wal", "plain", "SQLite without protection", .atLeast(0.8))
    }

    static func cipher(_ session: Session) throws -> Finding {
        try run(session, "sqlite-speedtest-sqlcipher", "delete", "sqlcipher", "SQLCipher", .atLeast(1))
    }

    static func cipherLog(_ session: Session) throws -> Finding {
        try run(session, "sqlite-speedtest-sqlcipher-wal", "wal", "sqlcipher", "SQLCipher", .atLeast(1))
    }

    private static func run(
        _ session: Session, _ name: String, _ mode: String, _ peer: String, _ against: String,
        _ demand: Finding.Demand
    ) throws -> Finding {
        try session.withDevice(try session.population.device(of: 100)) { device in
            let client = try session.client(of: device)
            defer {
                client.stop()
                FileRows.removeFiles()
            }
            let pairs = try session.pairs(
                value: { 1 / (try client.seconds("database protected \(folder) \(mode)")) },
                limit: { 1 / (try client.seconds("database \(peer) \(folder) \(mode)")) })
            return Finding(
                name: name, pairs: pairs, unit: "runs/s", against: "\(against), journal mode \(mode)", demand: demand)
        }
    }
}
