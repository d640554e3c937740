import Foundation
import GRDBSQLite
import LatchkeyTestSupport
import ProtectedSQLite
import SecurityTesting
import Testing

@Suite("What keeps the locks and the files of a database in order")
struct LockingTests {
    @Test("exclusive locking stays normal", arguments: [JournalMode.delete, .wal])
    func exclusive(_ mode: JournalMode) throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            let connection = try Connection(folder.file("a.db"), mode)
            #expect(try connection.run("PRAGMA locking_mode = EXCLUSIVE") == ["normal"])
            #expect(try connection.run("PRAGMA main.locking_mode") == ["normal"])
            try connection.makeLetters()
            try connection.addLetters(3)
            #expect(try Connection(folder.file("a.db")).letterCount == 3, "another connection reads")
        }
    }

    @Test("exclusive locking of an attached database stays normal if it is named, also beside one in memory")
    func attached() throws {
        let folder = try DatabaseFolder()
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        try device.run {
            let uri = ProtectedDatabase.uri(forPath: folder.file("a.db"), protection: .complete)
            let connection = try Connection(":memory:", flags: 0x46)
            try connection.run("ATTACH '\(uri)' AS aux; CREATE TABLE aux.t (x); INSERT INTO t VALUES (1)")
            #expect(try connection.run("PRAGMA aux.locking_mode = EXCLUSIVE") == ["normal"])
            #expect(try connection.run("SELECT x FROM t") == ["1"])
            try device.lock()
            eventually { connection.code("SELECT x FROM t") == SQLITE_AUTH }
            #expect(connection.code("SELECT x FROM t") == SQLITE_AUTH)
        }
    }

    @Test("a URI that does without locks is refused", arguments: ["nolock=1", "immutable=1", "nolock=yes"])
    func withoutLocks(_ parameter: String) throws {
        let folder = try DatabaseFolder()
        let uri = ProtectedDatabase.uri(forPath: folder.file("a.db"))
        try VirtualDevice().run {
            #expect(throws: Connection.Failure(code: SQLITE_MISUSE, description: "")) {
                try Connection(uri + "&" + parameter)
            }
            #expect(try folder.names == [])
            try Connection(uri + "&nolock=0&immutable=0").makeLetters()
        }
    }

    @Test(
        "a class and a URI with another file system are refused",
        arguments: ["vfs=unix", "%76fs=unix", "vfs%00x=unix", "vfs=unix#\u{338}&vfs=latchkey"])
    func otherFileSystem(_ parameter: String) throws {
        let folder = try DatabaseFolder()
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FILEPROTECTION_COMPLETE
        try VirtualDevice().run {
            #expect(throws: Connection.Failure(code: SQLITE_MISUSE, description: "")) {
                try Connection("file:" + folder.file("a.db") + "?" + parameter, flags: flags)
            }
            #expect(try folder.names == [])
            try Connection("file:" + folder.file("a.db") + "?vfs=latchkey", flags: flags).makeLetters()
        }
    }

    @Test(
        "a commit is on disk when it returns, also while a statement of the connection reads",
        arguments: JournalMode.durable)
    func commitWhileReading(_ mode: JournalMode) throws {
        let (folder, copy) = (try DatabaseFolder(), try DatabaseFolder())
        try VirtualDevice().run {
            let connection = try Connection(folder.file("a.db"), mode)
            try connection.run("PRAGMA synchronous = NORMAL")
            try connection.makeLetters()
            try connection.addLetters(100)
            var statement: OpaquePointer?
            #expect(sqlite3_prepare_v2(connection.database, "SELECT 1 FROM letter", -1, &statement, nil) == SQLITE_OK)
            defer { sqlite3_finalize(statement) }
            #expect(sqlite3_step(statement) == SQLITE_ROW)
            try connection.addLetters(50)
            for name in try folder.names {
                try FileManager.default.copyItem(atPath: folder.file(name), toPath: copy.file(name))
            }
            #expect(try Connection(copy.file("a.db")).letterCount == 150)
        }
    }
}
