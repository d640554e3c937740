import DataProtection
import Foundation
import GRDBSQLite
import LatchkeyTestSupport
import ProtectedSQLite
import SecurityTesting
import Testing

/// A lock takes the keys away, and a full disk does not take what was written before: that is lost.
@Suite(
    "What a lock on a full disk drops is in no commit",
    .needsMounts)
struct LossTests {
    /// The work of another connection between the loss and the commit, which could meet the failure.
    enum Other: String, CaseIterable { case nothing, reads, copiesTheLog }

    @Test(arguments: JournalMode.durable, Other.allCases)
    func loss(_ mode: JournalMode, _ other: Other) throws {
        let disk = try SmallDisk(megabytes: 12)
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        let path = disk.path + "/a.db"
        let (writer, reader) = try device.run {
            let uri = ProtectedDatabase.uri(forPath: path, protection: .complete)
            let writer = try Connection(uri, mode)
            try writer.run("PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 4")
            try writer.makeLetters()
            try writer.addLetters(500, "before")
            return (writer, try Connection(uri))
        }
        #expect(try reader.letterCount == 500)
        // More pages than SQLite keeps: they go to the files before the commit.
        try writer.run("BEGIN IMMEDIATE")
        try writer.addLetters(4000, "lost")
        try disk.fill()
        try device.lock()
        eventually { reader.code("SELECT count(*) FROM letter") == SQLITE_AUTH }
        disk.empty()
        try device.unlock("1234")
        switch other {
        case .nothing: break
        case .reads: _ = reader.code("SELECT count(*) FROM letter")
        case .copiesTheLog: _ = reader.code("PRAGMA wal_checkpoint")
        }
        // The rows stay if all of them were on disk, which the sizes of this test rule out.
        let commit = writer.code("COMMIT")
        #expect(commit != SQLITE_OK)
        if sqlite3_get_autocommit(writer.database) == 0 { try writer.run("ROLLBACK") }
        for connection in [reader, writer] {
            #expect(try connection.letterCount == 500)
            #expect(try connection.isIntact)
        }
        try writer.addLetters(20, "after")
        #expect(try reader.letterCount == 520)
        let copy = try DatabaseFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: disk.path) {
            try FileManager.default.copyItem(atPath: disk.path + "/" + name, toPath: copy.file(name))
        }
        // As after the end of the process.
        let again = try device.run { try Connection(copy.file("a.db")) }
        #expect(try again.letterCount == 520)
        #expect(try again.isIntact)
    }
}
