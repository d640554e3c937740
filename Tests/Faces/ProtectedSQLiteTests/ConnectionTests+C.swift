import Dispatch
import Foundation
import GRDBSQLite
import LatchkeyTestSupport
import ProtectedSQLite
import SecurityTesting
import Synchronization
import Testing

@Suite("Connections of one process on one database")
struct ConnectionTests {
    @Test("two threads add rows, and none is lost", arguments: [JournalMode.delete, .persist, .wal])
    func threads(_ mode: JournalMode) throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            let connections = try (0..<2).map { _ in try Connection(folder.file("a.db"), mode) }
            for connection in connections { sqlite3_busy_timeout(connection.database, 60_000) }
            try connections[0].makeLetters()
            let failures = Mutex<[Int32]>([])
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                for _ in 0..<40 {
                    let code = connections[index].code(
                        "BEGIN IMMEDIATE; INSERT INTO letter (text) VALUES ('a'); COMMIT")
                    if code != SQLITE_OK { failures.withLock { $0.append(code) } }
                }
            }
            #expect(failures.withLock { $0 } == [])
            #expect(try connections[1].letterCount == 80)
            #expect(try connections[1].isIntact)
        }
    }

    @Test("threads that open one new database at once all open it")
    func firstOpening() throws {
        let folder = try DatabaseFolder()
        let device = try VirtualDevice()
        for round in 0..<60 {
            let name = folder.file("\(round).db")
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { index in
                device.run {
                    do {
                        let connection = try Connection(name)
                        sqlite3_busy_timeout(connection.database, 60_000)
                        try connection.run("CREATE TABLE IF NOT EXISTS letter (text)")
                        try connection.run("INSERT INTO letter VALUES ('\(index)')")
                    } catch {
                        failures.withLock { $0.append("round \(round), thread \(index): \(error)") }
                    }
                }
            }
            #expect(failures.withLock { $0 } == [])
            #expect(try device.run { try Connection(name).letterCount } == 4)
        }
    }

    @Test("one that writes keeps others from writing, and in rollback modes its commit waits for those who read")
    func busy() throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            let (writer, reader) = (try Connection(folder.file("a.db"), .delete), try Connection(folder.file("a.db")))
            try writer.makeLetters()
            try reader.run("BEGIN; SELECT count(*) FROM letter")
            try writer.run("BEGIN IMMEDIATE; INSERT INTO letter (text) VALUES ('a')")
            #expect(reader.code("INSERT INTO letter (text) VALUES ('b')") == SQLITE_BUSY)
            #expect(writer.code("COMMIT") == SQLITE_BUSY)
            try reader.run("ROLLBACK")
            try writer.run("COMMIT")
            #expect(try reader.letterCount == 1)
        }
    }

    @Test("with a log, one reads its state while another writes")
    func snapshot() throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            let (writer, reader) = (try Connection(folder.file("a.db"), .wal), try Connection(folder.file("a.db")))
            try writer.makeLetters()
            try reader.run("BEGIN")
            #expect(try reader.letterCount == 0)
            try writer.addLetters(2000)
            #expect(try reader.letterCount == 0)
            #expect(try writer.run("PRAGMA wal_checkpoint") == ["0"])
            try reader.run("COMMIT")
            #expect(try reader.letterCount == 2000)
            #expect(try folder.names == ["a.db", "a.db-wal"], "the index is in memory")
        }
    }

    @Test(
        "a connection for reading only sees the rows of another one, also those in a log",
        arguments: [JournalMode.delete, .wal])
    func readOnly(_ mode: JournalMode) throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            do { try Connection(folder.file("a.db"), mode).makeLetters() }
            let reader = try Connection(folder.file("a.db"), flags: SQLITE_OPEN_READONLY)
            #expect(try reader.letterCount == 0)
            let writer = try Connection(folder.file("a.db"))
            try writer.addLetters(50)
            #expect(try reader.letterCount == 50)
            #expect(reader.code("DELETE FROM letter") & 0xff == SQLITE_READONLY)
        }
    }

    @Test("a database that another process has open is busy")
    func otherProcess() throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            do { try Connection(folder.file("a.db")).makeLetters() }
            // Another program that has locked the file, as a process with the database open does.
            let python = Process()
            python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            python.arguments = [
                "python3", "-c",
                """
                import fcntl, struct, sys
                file = open(sys.argv[1], "r+b")
                fcntl.fcntl(file, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
                print("locked", flush=True)
                sys.stdin.read()
                """, folder.file("a.db"),
            ]
            let (input, output) = (Pipe(), Pipe())
            python.standardInput = input
            python.standardOutput = output
            try python.run()
            #expect(output.fileHandleForReading.nextLine() == "locked\n")
            #expect(throws: Connection.Failure(code: SQLITE_BUSY, description: "")) {
                try Connection(folder.file("a.db"))
            }
            try input.fileHandleForWriting.close()
            python.waitUntilExit()
            #expect(try Connection(folder.file("a.db")).letterCount == 0)
        }
    }
}
