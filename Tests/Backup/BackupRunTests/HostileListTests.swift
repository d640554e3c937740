import Foundation
import LatchkeyBackupFormat
import LatchkeyBackupTesting
import LatchkeyTestSupport
import Testing

/// Lists and indexes of backups that were made to do harm, or that damage has changed.
@Suite("Hostile lists of backups")
struct HostileListTests {
    @Test("bytes that are not a valid index are refused", arguments: [0, 1, 2, 3])
    func index(_ kind: Int) throws {
        var bytes = try BackupIndex().encoded()
        switch kind {
        case 0: bytes = []
        case 1: bytes.removeLast(bytes.count / 2)
        case 2: for place in 100..<bytes.count { bytes[place] = UInt8(truncatingIfNeeded: place &* 37) }
        default: bytes = Array("SQLite format 3\0".utf8)
        }
        do {
            let index = try BackupIndex(bytes)
            // An index that opens all the same says nothing false: its rows are refused, or there are none.
            try? index.visit { row in
                if case .success = row { Issue.record("a row of noise") }
                return true
            }
        } catch {
            #expect(error == .damaged(BackupNames.index))
        }
    }

    private static let files =
        "CREATE TABLE Files (fileID TEXT, domain TEXT, relativePath TEXT, flags INTEGER, file BLOB);"

    /// An index that SQLite itself has made.
    private static func index(_ sql: String) throws -> [UInt8] {
        let script =
            "import sqlite3, sys; base = sqlite3.connect(':memory:'); base.executescript(sys.argv[1]); "
            + "sys.stdout.buffer.write(base.serialize())"
        return try Program.run(["/usr/bin/python3", "-c", script, sql]).output
    }

    /// Each of them costs any amount of time or memory where it is read or written.
    @Test(
        "an index whose schema computes is refused",
        arguments: [
            "CREATE VIEW Files AS SELECT 1 AS fileID, 2 AS domain, 3 AS relativePath, 1 AS flags, zeroblob(900000000) AS file;",
            "CREATE TABLE Files (fileID TEXT, domain TEXT, relativePath TEXT, flags INTEGER, file AS (zeroblob(900000000)));",
            "CREATE VIRTUAL TABLE Files USING fts5(fileID, domain, relativePath, flags, file);",
            files + "CREATE TRIGGER t AFTER INSERT ON Files BEGIN INSERT INTO Files SELECT * FROM Files; END;",
            files + "CREATE VIEW Other AS SELECT * FROM Files;",
            // An index by name, a trigger by what it says.
            files
                + "CREATE INDEX i ON Files(domain); PRAGMA writable_schema = 1; UPDATE sqlite_master SET rootpage = 0, sql = "
                + "'CREATE TRIGGER i AFTER INSERT ON Files BEGIN DELETE FROM Files; END' WHERE name = 'i';",
        ])
    func schemas(_ sql: String) throws {
        #expect(throws: BackupFailure.damaged(BackupNames.index)) { try BackupIndex(Self.index(sql)) }
    }

    @Test("a value that is longer than any real one is not read")
    func longValues() throws {
        let insert = "INSERT INTO Files VALUES ('a', 'HomeDomain', 'a', 1, zeroblob(%d));"
        let short = try BackupIndex(Self.index(Self.files + String(format: insert, 200_000)))
        var rows: [Result<FileRecord, BackupFailure>] = []
        try short.visit {
            rows.append($0)
            return true
        }
        #expect(rows.count == 1)
        let long = try BackupIndex(Self.index(Self.files + String(format: insert, 2_000_000)))
        #expect(throws: BackupFailure.beyondLimits(BackupNames.index)) { try long.visit { _ in true } }
    }

    @Test("lists that are too deep, too long or expand themselves are refused")
    func lists() throws {
        let deep = String(repeating: "<array>", count: 100) + String(repeating: "</array>", count: 100)
        let bomb = """
            <?xml version="1.0"?><!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
            <plist version="1.0"><dict><key>&b;</key><string>&b;</string></dict></plist>
            """
        for text in [deep, bomb] {
            #expect(throws: BackupFailure.beyondLimits("list")) {
                try ListFile.value(Array(text.utf8), name: "list")
            }
        }
        // One list that names itself: a small file without an end.
        let cycle: [UInt8] =
            Array("bplist00".utf8) + [0xA1, 0x00] + [8]
            + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0] + [
                0, 0, 0, 0, 0, 0, 0, 10,
            ]
        #expect(throws: BackupFailure.beyondLimits("list")) { try ListFile.value(cycle, name: "list") }
    }

    @Test("a small list does not become a large one, and empty containers have no depth")
    func sizes() throws {
        // One text of 50,000 bytes, named 60,000 times.
        let text = Array("bplist00".utf8) + [0x4F, 0x12, 0, 0, 0xC3, 0x50] + [UInt8](repeating: 7, count: 50_000)
        let list = [0xAF, 0x11, 0xEA, 0x60] + [UInt8](repeating: 1, count: 60_000)
        let table = text.count + list.count
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let bytes =
            text + list + number(text.count, 4) + number(8, 4) + [0, 0, 0, 0, 0, 0, 4, 1] + number(2, 8) + number(0, 8)
            + number(table, 8)
        #expect(throws: BackupFailure.beyondLimits("list")) { try ListFile.value(bytes, name: "list") }
        let empty =
            String(repeating: "<key>k</key><dict/>", count: 1) + "<key>l</key><array>"
            + String(repeating: "<dict/><array />", count: 40) + "</array>"
        let xml = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(empty)</dict></plist>"
        _ = try ListFile.value(Array(xml.utf8), name: "list")
    }

    @Test("an XML list that is longer than any real one is refused")
    func longXML() {
        let text = Array("<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>".utf8)
        let padding = [UInt8](repeating: 0x20, count: 16 << 20)
        #expect(throws: BackupFailure.beyondLimits("list")) { try ListFile.value(text + padding, name: "list") }
    }

    @Test("every truncation and every altered byte of a list is read or refused, and nothing else")
    func altered() throws {
        let machine = try Machine(hasPasscode: false)
        try machine.backUp(encrypted: false, sources: [])
        let bytes = try BackupFolder(machine.folder).bytes(of: BackupNames.manifest)
        for count in stride(from: 0, to: bytes.count, by: 7) { _ = try? BackupManifest(Array(bytes.prefix(count))) }
        for place in stride(from: 0, to: bytes.count, by: 3) {
            var altered = bytes
            altered[place] ^= 0xFF
            _ = try? BackupManifest(altered)
        }
    }
}
