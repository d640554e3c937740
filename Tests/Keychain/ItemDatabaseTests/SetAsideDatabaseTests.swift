import Foundation
import GRDB
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyTestSupport
import Testing

/// Databases that were set aside keep every row, and lose the tokens by which secrets could be guessed.
@Suite struct SetAsideDatabaseTests {
    private static let guessable = Data("a token of sha1!".utf8)

    /// A file of a format that was set aside, with tokens in rows and in a free page.
    private func setAside(_ format: Int, _ change: (DatabaseFile) throws -> Void = { _ in }) throws -> (
        file: DatabaseFile, aside: SetAsideDatabase
    ) {
        let file = try DatabaseFile()
        try FileManager.default.copyItem(
            at: PackageFolder.file("Fixtures/Formats/\(format)/keychain.db"), to: URL(fileURLWithPath: file.path))
        try file.raw { db in
            for table in ["genp", "inet"] {
                try db.execute(sql: "UPDATE \(table) SET t_sha1 = ?", arguments: [Self.guessable])
            }
            try db.execute(sql: "CREATE TABLE more (token BLOB, rest BLOB)")
            for _ in 0..<9 {
                try db.execute(sql: "INSERT INTO more VALUES (?, zeroblob(3000))", arguments: [Self.guessable])
            }
            try db.execute(sql: "PRAGMA secure_delete = OFF; DROP TABLE more")
        }
        try change(file)
        try FileManager.default.moveItem(atPath: file.path, toPath: file.path + ".damaged-123")
        return (file, try #require(SetAsideDatabase.all(from: file.path).first))
    }

    private func hasToken(_ path: String) throws -> Bool {
        try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Self.guessable) != nil
    }

    @Test("a sound one loses them everywhere, stays of its format, and opens as the keychain again", arguments: [4, 8])
    func sound(_ format: Int) throws {
        let (file, aside) = try setAside(format)
        #expect(try hasToken(aside.path))
        for _ in 0..<2 { #expect(aside.removeTokens() == .clean) }
        #expect(try !hasToken(aside.path))
        try FileManager.default.moveItem(atPath: aside.path, toPath: file.path)
        #expect(try file.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM grdb_migrations") } == format)
        let database = try file.open()
        #expect(try database.integrityFindings().isEmpty)
        #expect(try database.identifiers() == [1, 2].map { token($0, 1) })
    }

    @Test("one with a damaged table loses those of the others, and no page that is not in use is written")
    func damagedTable() throws {
        let (file, aside) = try setAside(8) { file in
            let page = try #require(
                try file.raw { db in
                    try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                    return try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'genp'")
                })
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file.path))
            try handle.seek(toOffset: UInt64((page - 1) * 4096))
            try handle.write(contentsOf: Data(repeating: 0xEE, count: 4096))
            try handle.close()
        }
        for _ in 0..<2 { #expect(aside.removeTokens() == .partlyClean) }
        let left = try DatabaseQueue(path: aside.path).read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM inet WHERE t_sha1 = ?", arguments: [Self.guessable])
        }
        #expect(left == 0)
        #expect(try hasToken(aside.path), "the list of free pages of a damaged file is not to be trusted")
        withExtendedLifetime(file) {}
    }

    @Test("a file that SQLite does not read stays byte for byte, and files beside databases are not taken for one")
    func noDatabase() throws {
        let file = try DatabaseFile()
        let noise = Data(repeating: 0xA5, count: 9000)
        try noise.write(to: URL(fileURLWithPath: file.path + ".damaged-1"))
        for name in [".damaged-1-wal", ".damaged-1-shm", ".empty"] {
            try Data().write(to: URL(fileURLWithPath: file.path + name))
        }
        let all = SetAsideDatabase.all(from: file.path)
        #expect(all.map(\.path) == [file.path + ".damaged-1"])
        #expect(all.map { $0.removeTokens() } == [.unreadable])
        #expect(try Data(contentsOf: URL(fileURLWithPath: file.path + ".damaged-1")) == noise)
    }
}
