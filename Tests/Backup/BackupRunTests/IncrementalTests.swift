import Foundation
import Glibc
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyKeybag
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
        let backup = try machine.opened()
        #expect(try names(backup) == ["same", "changed", "new"])
        let check = try BackupCheck(backup) { _ in true }
        #expect(check.findings.isEmpty && check.strayPayloads == 0)
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
        let backup = try machine.opened()
        #expect(try BackupCheck(backup) { _ in true }.findings.isEmpty)
        #expect(try names(backup) == (point == .beforeCommit ? ["file", "gone"] : ["file"]))
        try machine.backUp(encrypted: true)
        let next = try machine.opened()
        let check = try BackupCheck(next) { _ in true }
        #expect(check.findings.isEmpty && check.strayPayloads == 0)
        #expect(!FileManager.default.fileExists(atPath: machine.folder + "/Snapshot"))
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
