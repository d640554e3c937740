import Foundation
import GRDB
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyTestSupport
import Testing

/// Tokens by which secrets could be guessed, in files of the formats before 9: nothing of them is left.
@Suite struct FormerTokenTests {
    private static let tables = [
        "genp", "inet", "cert", "keys", "ended_genp", "ended_inet", "ended_cert", "ended_keys",
    ]

    /// A copy of the file of a format whose rows have tokens of digests and comments, as have pages that were freed
    /// without being overwritten.
    private static func file(_ format: Int) throws -> (file: DatabaseFile, tokens: [Data]) {
        let file = try DatabaseFile()
        try FileManager.default.copyItem(
            at: PackageFolder.file("Fixtures/Formats/\(format)/keychain.db"), to: URL(fileURLWithPath: file.path))
        var tokens: [Data] = []
        try file.raw { db in
            for table in tables where try db.tableExists(table) {
                for column in try db.columns(in: table).map(\.name) where ["t_sha1", "t_icmt"].contains(column) {
                    let mark = Data("\(table)/\(column)".utf8.prefix(15)) + [UInt8(tokens.count)]
                    tokens.append(mark)
                    try db.execute(sql: "UPDATE \(table) SET \(column) = ?", arguments: [mark])
                }
            }
            let deleted = Data("a deleted token ".utf8)
            tokens.append(deleted)
            try db.execute(sql: "CREATE TABLE more (token BLOB, rest BLOB)")
            for _ in 0..<40 {
                try db.execute(sql: "INSERT INTO more VALUES (?, zeroblob(3000))", arguments: [deleted])
            }
            try db.execute(sql: "PRAGMA secure_delete = OFF; DROP TABLE more")
        }
        return (file, tokens)
    }

    /// The tokens that are in a file of the directory.
    private static func found(_ tokens: [Data], in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).flatMap { name in
            let content = try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name))
            return tokens.filter { content.range(of: $0) != nil }
                .map { name + ": " + String(decoding: $0.dropLast(), as: UTF8.self) }
        }
    }

    @Test("neither the rows nor free pages nor the log have a former token after the file was opened", arguments: 1...8)
    func opened(_ format: Int) throws {
        let (file, tokens) = try Self.file(format)
        #expect(try Self.found(tokens, in: file.directory).count >= (format < 6 ? 3 : 9))
        let database = try file.open()
        #expect(try Self.found(tokens, in: file.directory) == [])
        #expect(try database.integrityFindings().isEmpty)
        database.close()
        #expect(try Self.found(tokens, in: file.directory) == [])
    }

    @Test("a migration that was killed before the log was cut off is finished by the next opening")
    func killed() throws {
        let (file, tokens) = try Self.file(8)
        let copy = try DatabaseFile()
        try file.raw { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = ON")
            let step = try #require(Migration.all.first { $0.format == "9" })
            try db.execute(sql: "BEGIN; " + step.statements)
            try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('9'); COMMIT")
            // The files on the disk if the process ends here.
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy.path + suffix)
            }
        }
        #expect(try !Self.found(tokens, in: copy.directory).isEmpty)
        let database = try copy.open()
        #expect(try Self.found(tokens, in: copy.directory) == [])
        #expect(try database.identifiers().count == 2)
    }

    @Test("the mark of a file without former tokens is set again where it is missing")
    func mark() throws {
        let file = try DatabaseFile()
        try file.open().close()
        for _ in 0..<2 {
            #expect(try file.raw { try Int.fetchOne($0, sql: "PRAGMA user_version") } == 9)
            try file.raw { try $0.execute(sql: "PRAGMA user_version = 0") }
            try file.open().close()
        }
    }

    @Test("the copy of a row that may have a former digest is looked through, too, and no other one")
    func copies() throws {
        let file = try DatabaseFile()
        let database = try file.open()
        #expect(try database.read { try $0.formerDigests() } == [])
        try database.write { writer in
            for number in 1...3 { try writer.insert(row(number, keyClass: number == 3 ? 7 : 6)) }
        }
        try file.raw { try $0.execute(sql: "INSERT INTO formerdigests VALUES ('genp', 6, 9)") }
        try database.write { writer in
            for number in [1, 3] {
                try writer.quarantine(row(number, keyClass: number == 3 ? 7 : 6), reason: "r", at: 1)
            }
            try writer.keepSyncConflict(
                rowAt: RowPlace(.genericPassword, 3), name: token(1, 1), version: nil, reason: .overruled, at: 1)
        }
        let former = try database.read { try $0.formerDigests() }
        #expect(
            Set(former) == [
                FormerDigests(shelf: .items(.genericPassword), keyClass: 6, last: 9),
                FormerDigests(shelf: .quarantine, keyClass: 6, last: 1),
                FormerDigests(shelf: .conflicts, keyClass: 6, last: 1),
            ])
        for former in former {
            let page = try database.read { try $0.page(of: former, limit: 1) }
            #expect(page.rows.count == 1 && page.rows.values.allSatisfy { $0.keyClass == 6 })
            try database.write { writer in
                for number in page.rows.keys { try writer.setAttributes([1, 2], ofRow: number, in: former.shelf) }
                try writer.finish(former, next: page.next)
            }
            let next = try #require(page.next)
            let last = try database.read { try $0.page(of: next, limit: 1) }
            #expect(last.rows.isEmpty && last.next == nil)
            try database.write { try $0.finish(next, next: last.next) }
        }
        #expect(try database.read { try $0.formerDigests() } == [])
        for table in ["genp", "quarantine", "syncconflicts"] {
            let changed = try file.raw {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table) WHERE attributes = x'0102' AND pdmn = 6")
            }
            #expect(changed == 1, "\(table)")
        }
    }
}
