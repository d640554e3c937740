import DataProtection
import Foundation
import GRDBSQLite
import ProtectedSQLite
import SecurityTesting
import Testing

/// SQLite finds a journal by its name and plays it back. A file that was not made for a database is not its journal, whatever its
/// content: attackers know the content of files that they send.
@Suite("The tie of a journal to its database")
struct JournalTieTests {
    /// The way in which an attacker's bytes come under the name of a journal.
    enum Arrival: String, CaseIterable {
        /// The victim has stored them as another protected file, of which the attacker makes a copy.
        case copied
        /// A program saves what it has received under the sender's name.
        case saved, savedAtomically
        /// The same, over a journal of the database that stays from transaction to transaction.
        case savedOver, savedAtomicallyOver, writtenOver

        var isOver: Bool { self == .savedOver || self == .savedAtomicallyOver || self == .writtenOver }
    }

    private static func store(_ bytes: Data, _ arrival: Arrival, at path: String, in folder: DatabaseFolder) throws {
        let url = URL(fileURLWithPath: path)
        switch arrival {
        case .copied:
            try bytes.writeProtected(to: URL(fileURLWithPath: folder.file("attachment")))
            try FileManager.default.copyItem(atPath: folder.file("attachment"), toPath: path)
        case .saved, .savedOver: try bytes.writeProtected(to: url)
        case .savedAtomically, .savedAtomicallyOver: try bytes.writeProtected(to: url, options: .atomic)
        case .writtenOver: try ProtectedFileHandle(forUpdating: url).write(contentsOf: bytes)
        }
    }

    /// A database with one letter, "genuine".
    private static func makeDatabase(_ path: String, _ mode: JournalMode) throws {
        let connection = try Connection(path, mode)
        try connection.makeLetters()
        try connection.run("INSERT INTO letter (text) VALUES ('genuine')")
    }

    private static func letters(_ path: String) throws -> [String] {
        try Connection(path).run("SELECT text FROM letter ORDER BY number")
    }

    @Test(
        "a stored file is not taken for a journal, and the file that it names is not deleted",
        arguments: Arrival.allCases)
    func forged(_ arrival: Arrival) throws {
        let (folder, other) = (try DatabaseFolder(), try DatabaseFolder())
        let (path, journal) = (folder.file("a.db"), folder.file("a.db-journal"))
        let thesis = URL(fileURLWithPath: other.file("thesis"))
        try VirtualDevice().run {
            try Self.makeDatabase(path, arrival.isOver ? .persist : .delete)
            #expect(FileManager.default.fileExists(atPath: journal) == arrival.isOver)
            try Data("years of work".utf8).writeProtected(to: thesis)
            try Self.store(ForgedJournal.bytes(superJournal: thesis.path), arrival, at: journal, in: folder)
            let before = try Data(contentsOf: URL(fileURLWithPath: journal))
            for _ in 0..<2 {
                #expect(throws: Connection.Failure(code: SQLITE_CANTOPEN, description: "")) { try Self.letters(path) }
            }
            #expect(try Data(contentsOfProtected: thesis) == Data("years of work".utf8))
            #expect(try Data(contentsOf: URL(fileURLWithPath: journal)) == before)
            // Nor is it the journal of a database that is made beside it.
            try FileManager.default.moveItem(atPath: path, toPath: folder.file("aside"))
            #expect(throws: Connection.Failure.self) { try Self.makeDatabase(path, .delete) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: journal)) == before)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: folder.file("aside"), toPath: path)
            try FileManager.default.removeItem(atPath: journal)
            #expect(try Self.letters(path) == ["genuine"])
        }
    }

    @Test("the log or the journal of another database is refused and stays", arguments: ["-wal", "-journal"])
    func otherDatabase(_ suffix: String) throws {
        let folder = try DatabaseFolder()
        let mode = suffix == "-wal" ? JournalMode.wal : .delete
        try VirtualDevice().run {
            for name in ["v.db", "w.db"] { try Self.makeDatabase(folder.file(name), mode) }
            let attacker = try Connection(folder.file("w.db"), mode)
            try attacker.run("BEGIN; UPDATE letter SET text = 'the attacker''s'")
            #expect(sqlite3_db_cacheflush(attacker.database) == SQLITE_OK)
            if suffix == "-wal" { try attacker.run("COMMIT") }
            try FileManager.default.copyItem(
                atPath: folder.file("w.db" + suffix), toPath: folder.file("v.db" + suffix))
            let before = try Data(contentsOf: URL(fileURLWithPath: folder.file("v.db" + suffix)))
            #expect(throws: Connection.Failure(code: SQLITE_CANTOPEN, description: "")) {
                try Self.letters(folder.file("v.db"))
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("v.db" + suffix))) == before)
            try FileManager.default.removeItem(atPath: folder.file("v.db" + suffix))
            #expect(try Self.letters(folder.file("v.db")) == ["genuine"])
        }
    }

    @Test("a log under the name of a journal, and a journal under the name of a log, are refused")
    func otherRole() throws {
        let folder = try DatabaseFolder()
        let path = folder.file("a.db")
        try VirtualDevice().run {
            do {
                let connection = try Connection(path, .wal)
                try connection.makeLetters()
                try connection.addLetters(3)
                try FileManager.default.copyItem(atPath: path + "-wal", toPath: folder.file("log"))
            }
            try FileManager.default.copyItem(atPath: folder.file("log"), toPath: path + "-journal")
            let connection = try Connection(path)
            #expect(throws: Connection.Failure.self) {
                try connection.run("PRAGMA journal_mode = delete; INSERT INTO letter (text) VALUES ('one')")
            }
            #expect(FileManager.default.fileExists(atPath: path + "-journal"))
        }
    }

    @Test(
        "a database that is copied or renamed with its log or its journal keeps what they say",
        arguments: ["-wal", "-journal"])
    func copied(_ suffix: String) throws {
        let folder = try DatabaseFolder()
        let mode = suffix == "-wal" ? JournalMode.wal : .truncate
        try VirtualDevice().run {
            try Self.makeDatabase(folder.file("a.db"), mode)
            let connection = try Connection(folder.file("a.db"), mode)
            try connection.run("BEGIN; UPDATE letter SET text = 'changed'")
            #expect(sqlite3_db_cacheflush(connection.database) == SQLITE_OK)
            if suffix == "-wal" { try connection.run("COMMIT") }
            for name in ["b.db", "c.db"] {
                for suffix in ["", suffix] {
                    try FileManager.default.copyItem(
                        atPath: folder.file("a.db" + suffix), toPath: folder.file(name + suffix))
                }
            }
            for suffix in ["", suffix] {
                try FileManager.default.moveItem(
                    atPath: folder.file("c.db" + suffix), toPath: folder.file("d.db" + suffix))
            }
            for name in ["b.db", "d.db"] {
                #expect(try Self.letters(folder.file(name)) == [suffix == "-wal" ? "changed" : "genuine"])
            }
        }
    }

    @Test("an empty file under the name of a journal becomes the database's", arguments: ["-journal", "-wal"])
    func empty(_ suffix: String) throws {
        let folder = try DatabaseFolder()
        let path = folder.file("a.db")
        try VirtualDevice().run {
            try Self.makeDatabase(path, .delete)
            try Data().writeProtected(to: URL(fileURLWithPath: path + suffix))
            let connection = try Connection(path, suffix == "-wal" ? .wal : .truncate)
            try connection.addLetters(1)
            #expect(try connection.letterCount == 2)
            // A journal that a crash would leave now is the database's own.
            try connection.run("BEGIN; UPDATE letter SET text = 'changed'")
            #expect(sqlite3_db_cacheflush(connection.database) == SQLITE_OK)
            let copy = try DatabaseFolder()
            for name in try folder.names {
                try FileManager.default.copyItem(atPath: folder.file(name), toPath: copy.file(name))
            }
            #expect(try Self.letters(copy.file("a.db")).first == "genuine")
        }
    }
}
