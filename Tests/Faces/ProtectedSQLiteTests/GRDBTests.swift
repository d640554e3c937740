import DataProtection
import Foundation
import GRDB
import LatchkeyTestSupport
import ProtectedSQLite
import SecurityTesting
import Testing

@Suite("Databases of GRDB follow the lock state of their device")
struct GRDBTests {
    enum Connections: String, CaseIterable {
        case queue, pool

        func open(_ uri: String) throws -> any DatabaseWriter {
            switch self {
            case .queue: try DatabaseQueue(path: uri)
            case .pool: try DatabasePool(path: uri)
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let connections: Connections
        let protection: String
        /// The class refuses while the device is locked.
        let closes: Bool

        var testDescription: String { "\(connections), \(protection)" }
    }

    static let rows = Connections.allCases.flatMap { connections in
        [
            Row(connections: connections, protection: "complete", closes: true),
            Row(connections: connections, protection: "completeUnlessOpen", closes: false),
            Row(connections: connections, protection: "completeUntilFirstUserAuthentication", closes: false),
            Row(connections: connections, protection: "none", closes: false),
        ]
    }

    private static func add(_ count: Int, to writer: any DatabaseWriter) throws {
        try writer.write { database in
            for number in 0..<count {
                try database.execute(sql: "INSERT INTO letter (text) VALUES (?)", arguments: ["Dear diary \(number)"])
            }
        }
    }

    private static func count(in writer: any DatabaseWriter) throws -> Int? {
        try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM letter WHERE text LIKE 'Dear diary%'") }
    }

    /// The result code of reading and of writing; nil for one that succeeds.
    private static func codes(_ writer: any DatabaseWriter) -> [ResultCode?] {
        [code { _ = try count(in: writer) }, code { try add(1, to: writer) }]
    }

    private static func code(_ body: () throws -> Void) -> ResultCode? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DatabaseError)?.resultCode ?? .SQLITE_INTERNAL
        }
    }

    @Test(
        "queues and pools refuse with the code 23 while the device is locked, and go on after the unlock",
        arguments: rows)
    func lock(_ row: Row) throws {
        let (folder, device) = (try DatabaseFolder(), try VirtualDevice())
        try device.setPasscode("1234")
        try ProtectedDatabase.register()
        let uri = "file:\(folder.file("a.db"))?vfs=latchkey&protection=\(row.protection)"
        let writer = try device.run { try row.connections.open(uri) }
        try writer.write {
            try $0.execute(sql: "CREATE TABLE letter (number INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        }
        try Self.add(200, to: writer)
        #expect(try Self.count(in: writer) == 200)
        let name = try writer.read { try String.fetchOne($0, sql: "PRAGMA file_protection") }
        #expect(name?.lowercased().hasSuffix(row.protection.lowercased()) == true, "\(name ?? "nil")")
        let mode = try writer.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        #expect(mode == (row.connections == .pool ? "wal" : "delete"))
        #expect(try !folder.contains("Dear diary"))

        try device.lock()
        var expected = 200
        if row.closes {
            // The file hears of the lock a moment later.
            eventually { Self.codes(writer) == [.SQLITE_AUTH, .SQLITE_AUTH] }
            #expect(ResultCode.SQLITE_AUTH.rawValue == 23)
            #expect(throws: DatabaseError.self) { try device.run { try row.connections.open(uri) } }
        } else {
            for _ in 0..<3 { #expect(Self.codes(writer) == [nil, nil]) }
            expected += 3
        }
        try device.unlock("1234")
        let found = try #require(try Self.count(in: writer))
        // Insertions that came before the file had heard of the lock are there, too.
        #expect(row.closes ? found >= expected : found == expected)
        try Self.add(10, to: writer)
        #expect(try Self.count(in: writer) == found + 10)
        #expect(try writer.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        try writer.close()
        #expect(try device.run { try Self.count(in: row.connections.open(uri)) } == found + 10)
    }

    @Test("readers of a pool see whole transactions while it is written, locked and unlocked")
    func concurrentReaders() throws {
        let (folder, device) = (try DatabaseFolder(), try VirtualDevice())
        try device.setPasscode("1234")
        try ProtectedDatabase.register()
        let uri = ProtectedDatabase.uri(forPath: folder.file("a.db"), protection: .complete)
        let pool = try device.run { try DatabasePool(path: uri) }
        try pool.write { try $0.execute(sql: "CREATE TABLE letter (number INTEGER PRIMARY KEY, text TEXT NOT NULL)") }
        let readers = (0..<4).map { _ in
            Pending<[String]> {
                var (seen, wrong) = (0, [String]())
                while seen < 60 {
                    do {
                        seen = max(seen, try Self.count(in: pool) ?? 0)
                        if seen % 10 != 0 { wrong.append("\(seen) letters") }
                    } catch let error as DatabaseError
                        where [.SQLITE_AUTH, .SQLITE_IOERR].contains(error.resultCode)
                    {
                        // Locked.
                    } catch {
                        wrong.append("\(error)")
                    }
                    if !wrong.isEmpty { return wrong }
                }
                return wrong
            }
        }
        for round in 0..<6 {
            if round == 3 {
                try device.lock()
                eventually { (try? Self.count(in: pool)) == nil }
                try device.unlock("1234")
            }
            try Self.add(10, to: pool)
        }
        for reader in readers { #expect(reader.value == []) }
        withExtendedLifetime(device) {}
    }
}
