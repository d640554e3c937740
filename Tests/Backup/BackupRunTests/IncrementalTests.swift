import Foundation
import Glibc
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyFileAccess
import LatchkeyKeybag
import Security
import SecurityTesting
import Testing

@Suite("One backup after another")
struct IncrementalTests {
    @Test("what has not changed is not written again", arguments: [true, false])
    func incremental(isEncrypted: Bool) throws {
        let machine = try Machine()
        try machine.setPassword()
        try machine.write("same", [1, 2, 3])
        try machine.write("changed", [4], .complete)
        try machine.write("removed", [5, 6])
        try machine.backUp(encrypted: isEncrypted)
        let same = FileID(domain: BackupSource.home, path: "same")
        let before = try stamp(machine, same)
        try machine.write("changed", [7, 8], .complete)
        try machine.write("new", [9])
        try FileManager.default.removeItem(atPath: machine.home + "/removed")
        let report = try machine.backUp(encrypted: isEncrypted)
        #expect(!report.isFull && report.copied == 2 && report.removed == 1)
        #expect(try stamp(machine, same) == before)
        do {
            let backup = try machine.opened()
            #expect(try names(backup) == ["same", "changed", "new"])
            let check = try BackupCheck(backup) { _ in true }
            #expect(check.findings.isEmpty && check.strayPayloads == 0)
        }
        // A file that could have changed in the same moment is read again.
        machine.fileTime = 0
        try machine.write("changed", [10], .complete)
        #expect(try machine.backUp(encrypted: isEncrypted).copied == 1)
        #expect(try machine.backUp(encrypted: isEncrypted).copied == 1)
    }

    @Test("a run that ends anywhere leaves a whole backup", arguments: BackupStage.Point.allCases)
    func interrupted(_ point: BackupStage.Point) throws {
        let machine = try Machine()
        try machine.setPassword()
        try machine.write("file", [1], .complete)
        try machine.write("gone", [1], .complete)
        try machine.backUp(encrypted: true)
        try machine.write("file", [2, 2], .complete)
        try FileManager.default.removeItem(atPath: machine.home + "/gone")
        #expect(throws: (any Error).self) { try machine.backUp(encrypted: true, stoppingAt: point) }
        // Before anybody cleans up, everything reads as one of the two.
        do {
            let backup = try machine.opened()
            #expect(try BackupCheck(backup) { _ in true }.findings.isEmpty)
            #expect(try names(backup) == (point == .beforeCommit ? ["file", "gone"] : ["file"]))
        }
        try machine.backUp(encrypted: true)
        let next = try machine.opened()
        let check = try BackupCheck(next) { _ in true }
        #expect(check.findings.isEmpty && check.strayPayloads == 0)
        #expect(!FileManager.default.fileExists(atPath: machine.folder + "/Snapshot"))
    }

    enum Phase: CaseIterable, Sendable {
        case looking, copying, items

        init(_ phase: BackupCreation.Phase) {
            switch phase {
            case .looking: self = .looking
            case .copying: self = .copying
            case .items: self = .items
            }
        }
    }

    @Test("a run that is told to end leaves the former backup as it was", arguments: Phase.allCases, [true, false])
    func cancelled(_ phase: Phase, isEncrypted: Bool) throws {
        let machine = try Machine()
        try machine.setPassword()
        try machine.write("file", [1], .complete)
        try machine.write("gone", [1])
        machine.add("item", kSecAttrAccessibleWhenUnlocked, "secret")
        try machine.backUp(encrypted: isEncrypted)
        let before = try tree(machine.folder)
        try machine.write("file", [2, 2], .complete)
        try FileManager.default.removeItem(atPath: machine.home + "/gone")
        #expect {
            try machine.backUp(encrypted: isEncrypted) { reached, _ in Phase(reached) != phase }
        } throws: {
            if case .cancelled? = $0 as? RunFailure { true } else { false }
        }
        #expect(try tree(machine.folder) == before)
        #expect(try machine.backUp(encrypted: isEncrypted).copied == 1)
        #expect(try names(machine.opened()) == ["file"])
    }

    @Test("the former copy of a file that cannot be read now stays")
    func unreadable() throws {
        let (machine, other) = (try Machine(), try Machine())
        try machine.setPassword()
        try machine.write("file", [1, 2, 3], .complete)
        try machine.write("else", [4])
        try machine.backUp(encrypted: true)
        // Under the key of another device.
        try unsafe [UInt8]([9]).withUnsafeBytes {
            try unsafe other.vault.replace(machine.home + "/file", with: $0, .complete, permissions: 0o600)
        }
        let report = try machine.backUp(encrypted: true)
        #expect(report.left.map(\.path) == [machine.home + "/file"] && report.removed == 0)
        let target = machine.path + "/restored"
        try machine.restore(try machine.opened(), to: target)
        #expect(try machine.content("file", in: target) == [1, 2, 3])
    }

    @Test("a payload that is gone is written again, and one that belongs to no file goes")
    func payloads() throws {
        let machine = try Machine()
        try machine.setPassword()
        for name in ["lost", "turns"] { try machine.write(name, [1, 2, 3]) }
        try machine.backUp(encrypted: true)
        let lost = FileID(domain: BackupSource.home, path: "lost")
        try FileManager.default.removeItem(atPath: "\(machine.folder)/\(lost.folder)/\(lost)")
        try FileManager.default.removeItem(atPath: machine.home + "/turns")
        try FileManager.default.createDirectory(atPath: machine.home + "/turns", withIntermediateDirectories: false)
        #expect(try machine.backUp(encrypted: true).copied == 1)
        let check = try BackupCheck(machine.opened()) { _ in true }
        #expect(check.findings.isEmpty && check.strayPayloads == 0)
    }

    @Test("a link in the place of the folder is not followed")
    func link() throws {
        let machine = try Machine()
        try machine.setPassword()
        let elsewhere = machine.path + "/elsewhere"
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: machine.folder, withDestinationPath: elsewhere)
        #expect(throws: RunFailure.self) { try machine.backUp(encrypted: true) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere).isEmpty)
    }

    @Test("two runs into one folder at once are refused")
    func twice() throws {
        let machine = try Machine()
        try machine.setPassword()
        try machine.backUp(encrypted: true)
        let stage = try BackupStage(in: machine.backups, named: machine.description.identifier)
        #expect { try machine.backUp(encrypted: true) } throws: {
            if case .inUse? = $0 as? RunFailure { true } else { false }
        }
        withExtendedLifetime(stage) {}
    }

    @Test("another password makes the next backup a whole one")
    func otherPassword() throws {
        let machine = try Machine()
        try machine.setPassword()
        try machine.write("file", [1])
        try machine.backUp(encrypted: true)
        #expect(try machine.backUp(encrypted: false).isFull)
        #expect(try machine.backUp(encrypted: true).isFull)
        #expect(try !machine.backUp(encrypted: true).isFull)
    }

    @Test("damage is named, and the rest restored when told to")
    func damage() throws {
        let machine = try Machine()
        try machine.setPassword()
        for name in ["flipped", "missing", "cut", "swapped", "whole"] {
            try machine.write(name, Array(repeating: UInt8(name.utf8.count), count: 1000))
        }
        try machine.backUp(encrypted: true)
        func place(_ name: String) -> String {
            let id = FileID(domain: BackupSource.home, path: name)
            return "\(machine.folder)/\(id.folder)/\(id)"
        }
        var bytes = try Data(contentsOf: URL(fileURLWithPath: place("flipped")))
        bytes[100] ^= 1
        try bytes.write(to: URL(fileURLWithPath: place("flipped")))
        try FileManager.default.removeItem(atPath: place("missing"))
        try Data(bytes.prefix(512)).write(to: URL(fileURLWithPath: place("cut")))
        try Data(contentsOf: URL(fileURLWithPath: place("whole"))).write(to: URL(fileURLWithPath: place("swapped")))
        let backup = try machine.opened()
        let check = try BackupCheck(backup) { _ in true }
        #expect(Set(check.findings.map(\.path)) == ["flipped", "missing", "cut", "swapped"])
        #expect(check.findings.first { $0.path == "missing" }?.fault == .missing)
        #expect(throws: RunFailure.self) { try machine.restore(backup, to: machine.path + "/restored") }
        let report = try machine.restore(backup, to: machine.path + "/restored", skipsDamage: true)
        #expect(Set(report.failed.map(\.path)) == Set(check.findings.map { "HomeDomain/" + $0.path }))
        #expect(try FileManager.default.contentsOfDirectory(atPath: machine.path + "/restored") == ["whole"])
    }

    private func stamp(_ machine: Machine, _ id: FileID) throws -> [Int] {
        var status = stat()
        #expect(unsafe stat("\(machine.folder)/\(id.folder)/\(id)", &status) == 0)
        return [Int(status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }

    /// Every file below a folder with its bytes.
    private func tree(_ folder: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            files[name] = FileManager.default.contents(atPath: folder + "/" + name) ?? Data()
        }
        return files
    }

    private func names(_ backup: OpenedBackup) throws -> Set<String> {
        var names: Set<String> = []
        try backup.index.visit(domain: BackupSource.home) { row in
            let record = try row.get()
            if record.kind == .file { names.insert(record.path) }
            return true
        }
        return names
    }
}
