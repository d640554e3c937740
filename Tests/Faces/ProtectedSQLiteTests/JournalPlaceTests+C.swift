import DataProtection
import Foundation
import GRDBSQLite
import Glibc
import ProtectedSQLite
import SecurityTesting
import Testing

/// A journal is found by its name alone, in a folder where others may write, too.
@Suite("The place of a journal")
struct JournalPlaceTests {
    /// A file that lies where a journal is to be made.
    enum Planted: String, CaseIterable { case link, linkToNothing, secondName, folder, pipe }

    @Test("something else under the name of a journal is refused and stays as it is", arguments: Planted.allCases)
    func planted(_ planted: Planted) throws {
        for (suffix, mode) in [("-journal", JournalMode.truncate), ("-wal", .wal)] {
            let folder = try DatabaseFolder()
            let path = folder.file("a.db")
            try VirtualDevice().run {
                try Connection(path, mode).makeLetters()
                try? FileManager.default.removeItem(atPath: path + suffix)
                // A protected file of this device: anything in clear is refused anyway.
                let other = folder.file("other")
                try Connection(other).makeLetters()
                let before = try Data(contentsOf: URL(fileURLWithPath: other))
                switch planted {
                case .link: #expect(symlink(other, path + suffix) == 0)
                case .linkToNothing: #expect(symlink(folder.file("nothing"), path + suffix) == 0)
                case .secondName: #expect(link(other, path + suffix) == 0)
                case .folder: #expect(mkdir(path + suffix, 0o700) == 0)
                case .pipe: #expect(mkfifo(path + suffix, 0o600) == 0)
                }
                #expect(throws: Connection.Failure.self, "\(suffix)") {
                    try Connection(path, mode).addLetters(50)
                }
                #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == before)
                #expect(access(folder.file("nothing"), F_OK) != 0)
                #expect(FileManager.default.fileExists(atPath: other))
                if planted == .folder { rmdir(path + suffix) } else { unlink(path + suffix) }
                let connection = try Connection(path, mode)
                try connection.addLetters(2)
                #expect(try connection.letterCount == 2)
            }
        }
    }

    @Test("a journal has the permissions of its database", arguments: [0o600, 0o640, 0o664] as [mode_t])
    func permissions(_ mode: mode_t) throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            do { try Connection(folder.file("a.db"), .wal).makeLetters() }
            #expect(chmod(folder.file("a.db"), mode) == 0)
            let connection = try Connection(folder.file("a.db"), .wal)
            try connection.addLetters(1)
            var status = stat()
            #expect(stat(folder.file("a.db-wal"), &status) == 0)
            #expect(status.st_mode & 0o777 == mode)
        }
    }

    @Test("a journal that comes with another database in the same place is played back")
    func replaced() throws {
        let (folder, other) = (try DatabaseFolder(), try DatabaseFolder())
        let path = folder.file("a.db")
        try VirtualDevice().run {
            do {
                let hot = try Connection(other.file("a.db"), .persist)
                try hot.makeLetters()
                try hot.addLetters(300, "kept")
                try hot.run("BEGIN IMMEDIATE")
                try hot.run("UPDATE letter SET text = 'changed'")
                try hot.addLetters(3000, "taken back")
                // The journal of this moment beside the database of the next one: a process that ended in between.
                #expect(sqlite3_db_cacheflush(hot.database) == SQLITE_OK)
                try FileManager.default.copyItem(
                    atPath: other.file("a.db-journal"), toPath: folder.file("next a.db-journal"))
                try hot.run("COMMIT")
                try FileManager.default.copyItem(atPath: other.file("a.db"), toPath: folder.file("next a.db"))
            }
            // It stays open, and knows that there is no journal.
            let first = try Connection(path, JournalMode.delete)
            try first.makeLetters()
            #expect(try first.letterCount == 0)
            for suffix in ["", "-journal"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
                #expect(rename(folder.file("next a.db" + suffix), path + suffix) == 0)
            }
            let next = try Connection(path)
            #expect(try next.letterCount == 300)
            #expect(try next.run("SELECT count(*) FROM letter WHERE text LIKE 'kept%'") == ["300"])
            #expect(try next.isIntact)
            withExtendedLifetime(first) {}
        }
    }

    @Test("names that look alike are two databases, each with a journal of its own")
    func alike() throws {
        let folder = try DatabaseFolder()
        let paths = [folder.file("o\u{308}.db"), folder.file("\u{F6}.db")]
        try VirtualDevice().run {
            for (place, path) in paths.enumerated() {
                let connection = try Connection(path, .truncate)
                try connection.makeLetters()
                try connection.addLetters(place + 1)
            }
            let connections = try paths.map { try Connection($0) }
            let counts = try connections.map { try $0.letterCount }
            #expect(counts == [1, 2])
            var entries: [String] = []
            guard let stream = opendir(folder.path) else {
                throw Connection.Failure(code: errno, description: "opendir")
            }
            while let entry = readdir(stream) {
                entries.append(
                    withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                        String(cString: bytes.baseAddress!.assumingMemoryBound(to: CChar.self))
                    })
            }
            closedir(stream)
            #expect(entries.filter { $0.hasSuffix("-journal") }.count == 2)
        }
    }

    @Test("a path that is not UTF-8 is refused, and no other file is made")
    func otherBytes() throws {
        let folder = try DatabaseFolder()
        // SQLite's own function, which takes bytes, does not do it.
        try ProtectedDatabase.register()
        try VirtualDevice().run {
            var database: OpaquePointer?
            let name = Array((folder.path + "/").utf8) + [0xF6, 0x2E, 0x64, 0x62, 0]
            let uri = Array("file:".utf8) + name.dropLast() + Array("?vfs=latchkey".utf8) + [0]
            let code = uri.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer {
                GRDBSQLite.sqlite3_open_v2(
                    $0.baseAddress, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, nil)
            }
            #expect(code & 0xFF == SQLITE_CANTOPEN)
            sqlite3_close(database)
        }
        #expect(try folder.names == [])
    }
}
