import DataProtection
import Foundation
import GRDBSQLite
import ProtectedSQLite
import SecurityTesting
import Testing

/// Databases without a tie: from an earlier version, of a backup of one, or of a file that was in clear. Their journals have
/// commits, or take half of one back.
@Suite("A database without a tie")
struct OlderDatabaseTests {
    /// Makes a database in clear as the end of a process leaves it within a transaction, or after one that is in the log alone.
    private static func interrupted(_ mode: JournalMode, in folder: DatabaseFolder) throws {
        let other = try DatabaseFolder()
        let plain = try Connection(other.file("a.db"), mode, flags: Connection.plain, vfs: "unix")
        try plain.makeLetters()
        try plain.addLetters(40, "kept")
        try plain.run("BEGIN; UPDATE letter SET text = 'changed'")
        #expect(sqlite3_db_cacheflush(plain.database) == SQLITE_OK)
        if mode == .wal { try plain.run("COMMIT") }
        for name in try other.names where !name.hasSuffix("-shm") {
            try FileManager.default.copyItem(atPath: other.file(name), toPath: folder.file(name))
        }
    }

    private static func protect(_ path: String) throws {
        try ProtectedFileManager.default.setAttributes(
            [.protectionKey: FileProtectionType.complete], ofItemAtPath: path)
    }

    private static func letters(_ path: String) throws -> Set<String> {
        Set(try Connection(path).run("SELECT substr(text, 1, 4) FROM letter"))
    }

    @Test("takes the journal or the log that it has, once", arguments: [JournalMode.delete, .truncate, .persist, .wal])
    func takesOnce(_ mode: JournalMode) throws {
        let folder = try DatabaseFolder()
        let path = folder.file("a.db")
        try VirtualDevice().run {
            try Self.interrupted(mode, in: folder)
            for name in try folder.names { try Self.protect(folder.file(name)) }
            #expect(try Self.letters(path) == [mode == .wal ? "chan" : "kept"])
            // Now it has its tie, and takes nothing else that has none.
            try? FileManager.default.removeItem(atPath: path + "-journal")
            try ForgedJournal.bytes().writeProtected(to: URL(fileURLWithPath: path + "-journal"))
            #expect(throws: Connection.Failure(code: SQLITE_CANTOPEN, description: "")) { try Self.letters(path) }
            try FileManager.default.removeItem(atPath: path + "-journal")
            #expect(try Self.letters(path) == [mode == .wal ? "chan" : "kept"])
        }
    }

    @Test("gets its tie when it is opened, without a journal")
    func getsTie() throws {
        let folder = try DatabaseFolder()
        let path = folder.file("a.db")
        try VirtualDevice().run {
            try Self.interrupted(.delete, in: folder)
            try FileManager.default.removeItem(atPath: path + "-journal")
            try Self.protect(path)
            do { _ = try Connection(path).run("SELECT 1") }
            try ForgedJournal.bytes().writeProtected(to: URL(fileURLWithPath: path + "-journal"))
            #expect(throws: Connection.Failure(code: SQLITE_CANTOPEN, description: "")) { try Self.letters(path) }
        }
    }

    @Test("is read with its log, and gets no tie, where it is opened for reading")
    func readOnly() throws {
        let folder = try DatabaseFolder()
        let path = folder.file("a.db")
        try VirtualDevice().run {
            try Self.interrupted(.wal, in: folder)
            for name in try folder.names { try Self.protect(folder.file(name)) }
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            for _ in 0..<2 {
                let reader = try Connection(path, flags: SQLITE_OPEN_READONLY)
                #expect(Set(try reader.run("SELECT substr(text, 1, 4) FROM letter")) == ["chan"])
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
            #expect(try Self.letters(path) == ["chan"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) != before)
        }
    }

    /// A file that a journal names, without being the super-journal of an open database.
    enum Named: String, CaseIterable {
        case thesis, database, ownDatabase, superJournalOfOther, ownSuperJournal
    }

    @Test("takes a journal, and deletes nothing that the journal names", arguments: Named.allCases)
    func superJournal(_ named: Named) throws {
        let (folder, other) = (try DatabaseFolder(), try DatabaseFolder())
        let path = folder.file("a.db")
        let target =
            switch named {
            case .thesis: other.file("thesis")
            case .database: other.file("b.db")
            case .ownDatabase: folder.file("attachment")
            case .superJournalOfOther: other.file("b.db-mj0A1B2C90F")
            case .ownSuperJournal: path + "-mj0A1B2C90F"
            }
        try VirtualDevice().run {
            try Self.interrupted(.delete, in: folder)
            try ForgedJournal.bytes(superJournal: target).write(to: URL(fileURLWithPath: path + "-journal"))
            for name in try folder.names { try Self.protect(folder.file(name)) }
            try Connection(other.file("b.db")).makeLetters()
            if named != .database { try Data("years of work".utf8).writeProtected(to: URL(fileURLWithPath: target)) }
            let before = try Data(contentsOf: URL(fileURLWithPath: target))
            // A name that no super-journal has is refused, once: by then the journal has been played back.
            let first = Result { try Self.letters(path) }
            if target.contains("-mj") { #expect((try? first.get()) == ["forg"]) }
            #expect(try Self.letters(path) == ["forg"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == before)
        }
    }
}
