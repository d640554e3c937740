import DataProtection
import Foundation
import GRDBSQLite
import ProtectedSQLite
import SecurityTesting
import Testing

@Suite("Databases in protected files")
struct DatabaseTests {
    @Test(
        "a database in every journal mode keeps its rows, and no file has their text", arguments: JournalMode.allCases)
    func roundTrip(_ mode: JournalMode) throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            let connection = try Connection(folder.file("a.db"), mode)
            try connection.makeLetters()
            try connection.addLetters(500)
            // A small cache, so that a large transaction reaches the files before it ends.
            try connection.run("PRAGMA cache_size = 10; BEGIN")
            try connection.addLetters(2000)
            try connection.run("UPDATE letter SET text = text || ' again' WHERE number % 3 = 0")
            #expect(try !folder.contains("diary"), "in a transaction")
            #expect(try !folder.contains("SQLite format"))
            try connection.run("DELETE FROM letter WHERE number % 7 = 0; COMMIT")
            #expect(try !folder.contains("diary"), "after it")
            #expect(try connection.letterCount == 2500 - 357)
            #expect(try connection.isIntact)
            #expect(
                try connection.run("PRAGMA file_protection") == [
                    FileProtectionType.completeUntilFirstUserAuthentication.rawValue
                ])
        }
    }

    @Test("the rows are there when the database is opened again", arguments: JournalMode.allCases)
    func reopened(_ mode: JournalMode) throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            do {
                let connection = try Connection(folder.file("a.db"), mode)
                try connection.makeLetters()
                try connection.addLetters(300)
            }
            let again = try Connection(folder.file("a.db"))
            #expect(try again.letterCount == 300)
            #expect(try again.isIntact)
            try again.run("VACUUM")
            #expect(try again.isIntact)
        }
    }

    @Test("a transaction that is rolled back leaves nothing", arguments: JournalMode.allCases.filter { $0 != .off })
    func rollback(_ mode: JournalMode) throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            let connection = try Connection(folder.file("a.db"), mode)
            try connection.makeLetters()
            try connection.addLetters(1000)
            try connection.run("PRAGMA cache_size = 10; BEGIN")
            try connection.run(
                "DELETE FROM letter WHERE number % 2 = 0; SAVEPOINT s; DELETE FROM letter; ROLLBACK TO s")
            #expect(try connection.letterCount == 500)
            try connection.run("ROLLBACK")
            #expect(try connection.letterCount == 1000)
            #expect(try connection.isIntact)
        }
    }

    struct ClassRow: Sendable, CustomTestStringConvertible {
        let flag: Int32
        let parameter: String
        let type: FileProtectionType

        var testDescription: String { parameter }
    }

    static let classes = [
        ClassRow(flag: SQLITE_OPEN_FILEPROTECTION_COMPLETE, parameter: "complete", type: .complete),
        ClassRow(
            flag: SQLITE_OPEN_FILEPROTECTION_COMPLETEUNLESSOPEN, parameter: "completeUnlessOpen",
            type: .completeUnlessOpen),
        ClassRow(
            flag: SQLITE_OPEN_FILEPROTECTION_COMPLETEUNTILFIRSTUSERAUTHENTICATION,
            parameter: "completeUntilFirstUserAuthentication", type: .completeUntilFirstUserAuthentication),
        ClassRow(flag: SQLITE_OPEN_FILEPROTECTION_NONE, parameter: "none", type: FileProtectionType.none),
    ]

    @Test("flags and parameters give a new database its class, and its journals the same", arguments: classes)
    func protection(_ row: ClassRow) throws {
        let folder = try DatabaseFolder()
        let create = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        try VirtualDevice().run {
            let flagged = try Connection(folder.file("flag.db"), .wal, flags: create | row.flag)
            let named = try Connection(
                "file:\(folder.file("name.db"))?vfs=latchkey&protection=\(row.parameter)", .delete)
            let apple = try Connection(ProtectedDatabase.uri(forPath: folder.file("apple.db"), protection: row.type))
            for connection in [flagged, named, apple] {
                try connection.makeLetters()
                try connection.run("BEGIN IMMEDIATE; INSERT INTO letter (text) VALUES ('a')")
            }
            // Journals of two modes.
            #expect(
                try folder.names == [
                    "apple.db", "apple.db-journal", "flag.db", "flag.db-wal", "name.db", "name.db-journal",
                ])
            for name in try folder.names {
                let attributes = try ProtectedFileManager.default.attributesOfItem(atPath: folder.file(name))
                let type = try #require(attributes[.protectionKey] as? FileProtectionType)
                #expect(type == row.type, "\(name)")
            }
        }
    }

    @Test("a database without a class of its own gets that of its folder; one that is there keeps its class")
    func inherited() throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            try ProtectedFileManager.default.setAttributes(
                [.protectionKey: FileProtectionType.completeUnlessOpen], ofItemAtPath: folder.path)
            let first = try Connection(folder.file("a.db"))
            #expect(try first.run("PRAGMA file_protection") == [FileProtectionType.completeUnlessOpen.rawValue])
            let second = try Connection(ProtectedDatabase.uri(forPath: folder.file("a.db"), protection: .complete))
            #expect(try second.run("PRAGMA file_protection") == [FileProtectionType.completeUnlessOpen.rawValue])
        }
    }

    @Test("an unknown class, or one for another file system, is refused")
    func unknownClass() throws {
        let folder = try DatabaseFolder()
        VirtualDevice.refuses(SQLITE_MISUSE) {
            try Connection("file:\(folder.file("a.db"))?vfs=latchkey&protection=secret")
        }
        VirtualDevice.refuses(SQLITE_MISUSE) {
            try Connection(
                folder.file("a.db"), flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_FILEPROTECTION_COMPLETE, vfs: "unix")
        }
        VirtualDevice.refuses(SQLITE_MISUSE) {
            try Connection(folder.file("a.db"), flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_FILEPROTECTION_MASK)
        }
        #expect(try folder.names.isEmpty)
    }

    @Test("paths have any characters", arguments: ["a?b.db", "a#b.db", "a%41.db", "ä b&c=d.db", "a?vfs=unix"])
    func path(_ name: String) throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            try Connection(folder.file(name)).makeLetters()
            #expect(try folder.names == [name])
            try Connection(ProtectedDatabase.uri(forPath: "/" + folder.file(name))).addLetters(1)
            #expect(try folder.names == [name])
        }
    }

    @Test("an attached database has a class of its own, and a transaction over both is one")
    func attached() throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            let connection = try Connection(folder.file("a.db"))
            try connection.run(
                "ATTACH '\(ProtectedDatabase.uri(forPath: folder.file("b.db"), protection: .completeUnlessOpen))' AS b")
            try connection.run("CREATE TABLE t (x); CREATE TABLE b.t (x)")
            try connection.run("BEGIN; INSERT INTO main.t VALUES (1); INSERT INTO b.t VALUES (2); COMMIT")
            #expect(try connection.run("SELECT x FROM main.t UNION SELECT x FROM b.t") == ["1", "2"])
            #expect(try connection.run("PRAGMA b.file_protection") == [FileProtectionType.completeUnlessOpen.rawValue])
            #expect(try folder.names == ["a.db", "b.db"])
        }
    }

    @Test("rows that are sorted or temporary are in no file")
    func temporary() throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            let connection = try Connection(folder.file("a.db"))
            try connection.run("PRAGMA temp_store = FILE; PRAGMA cache_size = 10; PRAGMA temp.cache_size = 10")
            try connection.makeLetters()
            try connection.addLetters(20000)
            try connection.run("CREATE TEMP TABLE copy AS SELECT text FROM letter ORDER BY substr(text, 5) DESC")
            #expect(try connection.run("SELECT count(*) FROM copy") == ["20000"])
            #expect(try connection.run("SELECT count(DISTINCT text) FROM copy") == ["20000"])
            #expect(try connection.run("PRAGMA temp.integrity_check") == ["ok"])
            // The files have no names; the process has them open.
            for number in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
                guard let target, target.hasSuffix("(deleted)"), !target.hasPrefix("/memfd") else { continue }
                let stored = try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/fd/\(number)"))
                #expect(stored?.range(of: Data("diary".utf8)) == nil)
            }
        }
    }

    @Test("the backup API copies from and to protected databases")
    func backup() throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            let source = try Connection(folder.file("a.db"), .wal)
            try source.makeLetters()
            try source.addLetters(2000)
            let target = try Connection(folder.file("b.db"))
            let backup = sqlite3_backup_init(target.database, "main", source.database, "main")
            #expect(sqlite3_backup_step(backup, -1) == SQLITE_DONE)
            #expect(sqlite3_backup_finish(backup) == SQLITE_OK)
            #expect(try target.letterCount == 2000)
            #expect(try target.isIntact)
            try source.run(
                "VACUUM INTO '\(ProtectedDatabase.uri(forPath: folder.file("c.db"), protection: .complete))'")
            let third = try Connection(folder.file("c.db"))
            #expect(try third.letterCount == 2000)
            #expect(try third.run("PRAGMA file_protection") == [FileProtectionType.complete.rawValue])
            #expect(try !folder.contains("diary"))
        }
    }

    @Test("a database in clear is not opened, and stays as it is")
    func clear() throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            do {
                let plain = try Connection(
                    folder.file("a.db"), flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs: "unix")
                try plain.makeLetters()
                try plain.addLetters(10)
            }
            let before = try Data(contentsOf: URL(fileURLWithPath: folder.file("a.db")))
            #expect(throws: Connection.Failure(code: SQLITE_CANTOPEN, description: "")) {
                try Connection(folder.file("a.db"))
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("a.db"))) == before)
            try ProtectedFileManager.default.setAttributes(
                [.protectionKey: FileProtectionType.complete], ofItemAtPath: folder.file("a.db"))
            let protected = try Connection(folder.file("a.db"))
            #expect(try protected.letterCount == 10)
            try protected.addLetters(1)
        }
    }
}

extension VirtualDevice {
    /// Expects that opening fails with a code.
    static func refuses(
        _ code: Int32, _ open: () throws -> Connection, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: Connection.Failure(code: code, description: ""), sourceLocation: sourceLocation) {
            try VirtualDevice().run { _ = try open() }
        }
    }
}
