import Foundation
import Glibc
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyFileAccess
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// Backups that an attacker made. They are not encrypted: an attacker who knows the password of an encrypted one can do
/// the same.
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
        #expect(try stage.commit(removing: []) == .inPlace)
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

    @Test(
        "a size that the index only claims reserves nothing, and does not change the content",
        arguments: [0, 1, 1 << 40, Int64.max])
    func claimedSize(_ size: Int64) throws {
        let machine = try Machine(hasPasscode: false)
        let other = FileRecord(domain: BackupSource.home, path: "other", kind: .file, mode: 0o100644)
        var records = [Self.file("file"), other]
        for place in records.indices { records[place].size = size }
        let backup = try Self.backup(records, in: machine)
        // The bytes that were read and written: those that are there.
        var read = 0
        let check = try BackupCheck(backup) {
            read += $0
            return true
        }
        let keychain = try #require(try backup.index.record(.keychain))
        let items = Int(try backup.content(of: keychain).size)
        #expect(Int(check.byteCount) == 8 + items && read == 8 + items && check.findings.isEmpty)
        var written = 0
        let report = try machine.restore(backup, to: machine.path + "/restored") {
            written += $0
            return true
        }
        #expect(report.byteCount == 8 && written == 8)
        #expect(try machine.content("file", in: machine.path + "/restored") == Array("harm".utf8))
    }

    @Test("a negative size makes a record damaged")
    func negativeSize() throws {
        let machine = try Machine(hasPasscode: false)
        var record = Self.file("file")
        record.size = -1
        let check = try BackupCheck(Self.backup([record], in: machine)) { _ in true }
        #expect(check.findings.map(\.fault) == [.record(.archive)])
    }

    /// The files are sparse: nothing of them is read.
    @Test(
        "a list that is longer than any real one is refused before it is read",
        arguments: [
            (BackupNames.manifest, 64 << 20), (BackupNames.info, 64 << 20), (BackupNames.status, 64 << 20),
            (BackupNames.index, 2 << 30), ("items", 1 << 30),
        ])
    func longLists(_ name: String, _ limit: Int) throws {
        let machine = try Machine(hasPasscode: false)
        let backup = try Self.backup([], in: machine)
        let items = "\(FileID.keychain.folder)/\(FileID.keychain)"
        let path = machine.folder + "/" + (name == "items" ? items : name)
        #expect(truncate(path, off_t(limit + 1)) == 0)
        let expected = name == "items" ? BackupNames.keychainFile : name
        #expect(throws: BackupFailure.beyondLimits(expected)) {
            switch name {
            case BackupNames.info: _ = try backup.folder.info()
            case BackupNames.status: _ = try backup.folder.status()
            case "items": _ = try backup.keychain()
            default: _ = try machine.opened()
            }
        }
    }

    /// A count is looked at before a password is stretched: the largest one that is taken costs twice a phone's.
    @Test(
        "counts of rounds that are meant to hang are refused",
        arguments: [
            (KeybagTag.firstRoundIterations, UInt32(20_000_001)), (.firstRoundIterations, .max),
            (.firstRoundIterations, 0), (.iterations, 1_000_001), (.iterations, .max), (.iterations, 0),
        ])
    func rounds(_ tag: KeybagTag, _ count: UInt32) throws {
        let machine = try Machine(hasPasscode: false)
        try machine.setPassword()
        try machine.backUp(encrypted: true)
        var manifest = try BackupFolder(machine.folder).manifest()
        let record = KeybagRecord(tag, 1).bytes
        let keybag = try Keybag(parsing: manifest.keybag)
        let own = try #require(keybag.header.records.first { $0.tag == tag }).bytes
        let start = try #require(
            manifest.keybag.indices.first { manifest.keybag[$0...].starts(with: own) })
        manifest.keybag.replaceSubrange(
            start..<start + record.count, with: KeybagRecord(tag, count).bytes)
        try Data(manifest.encoded).write(to: URL(fileURLWithPath: machine.folder + "/" + BackupNames.manifest))
        #expect(throws: BackupFailure.damaged(BackupNames.manifest)) { try machine.opened() }
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
}
