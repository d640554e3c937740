import Foundation
import Glibc
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyFileAccess
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Testing

/// Backups that somebody made to do harm. They are not encrypted: whoever knows the password of an encrypted one can do the same.
@Suite("Hostile backups")
struct HostileBackupTests {
    private static let paths = [
        "../escaped", "a/../../escaped", "/escaped", "a//escaped", "./escaped", "a/./escaped", "..", "a/", "a\0b",
        String(repeating: "n", count: 300), String(repeating: "d/", count: 2100) + "escaped",
    ]

    /// A backup with these records, each of a file with the content "harm".
    private static func backup(_ records: [FileRecord], in machine: Machine) throws -> OpenedBackup {
        try machine.backUp(encrypted: false, sources: [])
        let folder = try BackupFolder(machine.folder)
        let index = try BackupIndex(folder.bytes(of: BackupNames.index))
        let stage = try BackupStage(in: machine.backups, named: machine.description.identifier)
        try index.change { changes in
            for record in records { try changes.put(record) }
        }
        for record in records where record.kind == .file {
            let writer = PayloadWriter(try stage.payload(record.fileID), path: "", key: nil)
            try writer.write(Array("harm".utf8))
            _ = try writer.finish()
        }
        try stage.write(index.stored(key: nil), as: BackupNames.index)
        try stage.commit(removing: [])
        return try machine.opened()
    }

    private static func file(_ path: String) -> FileRecord {
        var record = FileRecord(domain: BackupSource.home, path: path, kind: .file, mode: 0o100644)
        record.size = 4
        return record
    }

    @Test("no path leads out of the directory, and each is named")
    func paths() throws {
        let machine = try Machine(hasPasscode: false)
        let backup = try Self.backup(Self.paths.map(Self.file) + [Self.file("good")], in: machine)
        let target = machine.path + "/in/restored"
        try FileManager.default.createDirectory(atPath: machine.path + "/in", withIntermediateDirectories: false)
        let report = try machine.restore(backup, to: target, skipsDamage: true)
        #expect(report.restored == 1 && report.failed.count == Self.paths.count)
        #expect(try FileManager.default.contentsOfDirectory(atPath: machine.path + "/in") == ["restored"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: target) == ["good"])
        #expect(!FileManager.default.fileExists(atPath: "/escaped"))
        let check = try BackupCheck(backup) { _ in true }
        #expect(check.findings.count >= Self.paths.count)
    }

    @Test("a link that the backup brings is not followed by what comes after it")
    func links() throws {
        let machine = try Machine(hasPasscode: false)
        let outside = machine.path + "/outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
        var link = FileRecord(domain: BackupSource.home, path: "a", kind: .link, mode: 0o120777)
        link.target = outside
        let backup = try Self.backup([link, Self.file("a/file")], in: machine)
        let target = machine.path + "/restored"
        for _ in 0..<2 { _ = try machine.restore(backup, to: target, .replace, skipsDamage: true) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
    }

    @Test("a mark that joins a slash hides no link, and names that look alike are two")
    func combiningMarks() throws {
        let machine = try Machine(hasPasscode: false)
        let outside = machine.path + "/outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
        var link = FileRecord(domain: BackupSource.home, path: "a", kind: .link, mode: 0o120777)
        link.target = outside
        let pair = ["o\u{308}/file", "\u{F6}/file"]
        let files = ["a/\u{338}file", "a/\u{338}folder/file"] + pair
        let backup = try Self.backup([link] + files.map(Self.file), in: machine)
        let target = machine.path + "/restored"
        for _ in 0..<2 { _ = try machine.restore(backup, to: target, .replace, skipsDamage: true) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
        for path in pair { #expect(access(target + "/" + path, F_OK) == 0, "\(Array(path.utf8))") }
    }

    @Test("bits that give rights to a program are not restored, nor attributes of the system")
    func rights() throws {
        let machine = try Machine(hasPasscode: false)
        var record = Self.file("program")
        record.mode = 0o106755
        record.attributes = ["security.capability": [1], "trusted.x": [1], "user.own": [7]]
        let target = machine.path + "/restored"
        try machine.restore(try Self.backup([record], in: machine), to: target)
        var status = stat()
        #expect(unsafe stat(target + "/program", &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o755)
    }

    @Test("an index that is none, or has a view in place of its table, is refused", arguments: [0, 1, 2, 3])
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
            // What opens all the same says nothing false: its rows are refused, or there are none.
            try? index.visit { row in
                if case .success = row { Issue.record("a row of noise") }
                return true
            }
        } catch {
            #expect(error == .damaged(BackupNames.index))
        }
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

    @Test("a small list does not become a large one, and empty containers are none deep")
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

    @Test("a list of items that cannot be read is named")
    func items() throws {
        let machine = try Machine(hasPasscode: false)
        var record = FileRecord(
            domain: BackupNames.keychainDomain, path: BackupNames.keychainFile, kind: .file, mode: 0o100600)
        record.size = 4
        let check = try BackupCheck(Self.backup([record], in: machine)) { _ in true }
        #expect(check.findings.map(\.path) == [BackupNames.keychainFile])
    }

    @Test("a first backup that was cut off behind its mark is found from above")
    func first() throws {
        let machine = try Machine()
        try machine.setPassword()
        #expect(throws: (any Error).self) { try machine.backUp(encrypted: true, stoppingAt: .afterCommit) }
        #expect(try BackupCheck(machine.opened()) { _ in true }.findings.isEmpty)
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
