import DataProtection
import Foundation
import GRDBSQLite
import LatchkeyTestSupport
import ProtectedSQLite
import SecurityTesting
import Testing

@Suite("Databases follow the lock state of their device")
struct LockStateTests {
    private static func device() throws -> VirtualDevice {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        return device
    }

    private static func open(
        _ device: VirtualDevice, _ path: String, _ mode: JournalMode, _ protection: FileProtectionType
    ) throws -> Connection {
        try device.run {
            let connection = try Connection(ProtectedDatabase.uri(forPath: path, protection: protection), mode)
            try connection.makeLetters()
            try connection.addLetters(200)
            return connection
        }
    }

    @Test(
        "one of class A refuses while the device is locked, and goes on after an unlock", arguments: JournalMode.durable
    )
    func complete(_ mode: JournalMode) throws {
        let (folder, device) = (try DatabaseFolder(), try Self.device())
        let connection = try Self.open(device, folder.file("a.db"), mode, .complete)
        try device.lock()
        // The device announces the lock; the file hears of it a moment later.
        eventually { connection.code("SELECT count(*) FROM letter") == SQLITE_AUTH }
        #expect(connection.code("SELECT count(*) FROM letter") == SQLITE_AUTH, "pages in memory, too")
        #expect(connection.code("INSERT INTO letter (text) VALUES ('a')") == SQLITE_AUTH)
        #expect(String(cString: sqlite3_errmsg(connection.database)) == "authorization denied")
        device.run {
            #expect(throws: Connection.Failure(code: SQLITE_AUTH, description: "")) {
                try Connection(folder.file("a.db"))
            }
        }
        try device.unlock("1234")
        #expect(try connection.letterCount == 200)
        try connection.addLetters(10)
        #expect(try connection.letterCount == 210)
        #expect(try connection.isIntact)
    }

    @Test("a transaction of class A that the lock stops is rolled back as a whole", arguments: JournalMode.durable)
    func interrupted(_ mode: JournalMode) throws {
        let (folder, device) = (try DatabaseFolder(), try Self.device())
        let connection = try Self.open(device, folder.file("a.db"), mode, .complete)
        // A small cache, so that the transaction reaches the files before it ends.
        try connection.run("PRAGMA cache_size = 5; BEGIN")
        try connection.addLetters(3000)
        try connection.run("UPDATE letter SET text = 'changed' WHERE number < 100")
        try device.lock()
        eventually { connection.code("SELECT sum(length(text)) FROM letter") == ExtendedCode.authorization }
        #expect(connection.code("COMMIT") != SQLITE_OK, "it was rolled back, or cannot be written")
        _ = connection.code("ROLLBACK")
        // The lock reaches the journal and the database one after the other.
        eventually { connection.code("SELECT count(*) FROM letter") == SQLITE_AUTH }
        try device.unlock("1234")
        #expect(try connection.letterCount == 200)
        #expect(try connection.run("SELECT count(*) FROM letter WHERE text = 'changed'") == ["0"])
        #expect(try connection.isIntact)
    }

    @Test("one of class B that is open stays usable while the device is locked", arguments: JournalMode.durable)
    func unlessOpen(_ mode: JournalMode) throws {
        let (folder, device) = (try DatabaseFolder(), try Self.device())
        let connection = try Self.open(device, folder.file("a.db"), mode, .completeUnlessOpen)
        let second = try Self.open(device, folder.file("b.db"), mode, .complete)
        try device.lock()
        eventually { second.code("SELECT 1 FROM letter") == SQLITE_AUTH }
        for _ in 0..<3 { try connection.addLetters(100) }
        #expect(try connection.letterCount == 500)
        try connection.run("PRAGMA cache_size = 5; BEGIN; DELETE FROM letter")
        try connection.run("ROLLBACK")
        #expect(try connection.letterCount == 500)
        #expect(try connection.isIntact)
        try device.unlock("1234")
        #expect(try connection.letterCount == 500)
    }

    @Test("one of class B can be created while the device is locked, and not opened")
    func createdWhileLocked() throws {
        let (folder, device) = (try DatabaseFolder(), try Self.device())
        try device.lock()
        try device.run {
            do {
                let connection = try Connection(
                    ProtectedDatabase.uri(forPath: folder.file("a.db"), protection: .completeUnlessOpen), .wal)
                try connection.makeLetters()
                try connection.addLetters(10)
            }
            #expect(throws: Connection.Failure(code: SQLITE_AUTH, description: "")) {
                try Connection(folder.file("a.db"))
            }
            #expect(throws: Connection.Failure(code: SQLITE_AUTH, description: "")) {
                try Connection(ProtectedDatabase.uri(forPath: folder.file("b.db"), protection: .complete))
            }
            #expect(try folder.names == ["a.db"])
        }
        try device.unlock("1234")
        try device.run { () throws in #expect(try Connection(folder.file("a.db")).letterCount == 10) }
    }

    @Test("a database of another device is not a database here")
    func otherDevice() throws {
        let (folder, device) = (try DatabaseFolder(), try Self.device())
        do { _ = try Self.open(device, folder.file("a.db"), .delete, .none) }
        VirtualDevice.refuses(SQLITE_NOTADB) { try Connection(folder.file("a.db")) }
    }
}
