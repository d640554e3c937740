import Foundation
import Glibc
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyFileAccess
import LatchkeyTestSupport
import Testing

/// A backup is read while the next one is made.
@Suite("Reading while the next backup is made")
struct ReadingMeanwhileTests {
    private static let name = "file"

    private static func machine(isEncrypted: Bool) throws -> Machine {
        let machine = try Machine(hasPasscode: false)
        try machine.setPassword()
        try machine.write(name, [1])
        try machine.write("gone", [1])
        try machine.backUp(encrypted: isEncrypted)
        return machine
    }

    /// The content of the file, and of every other one, in a backup that is whole.
    private static func content(_ backup: OpenedBackup) throws -> [UInt8] {
        #expect(try BackupCheck(backup) { _ in true }.isSound)
        let record = try #require(try backup.index.record(FileID(domain: .home, path: name)))
        var bytes: [UInt8] = []
        try backup.content(of: record).pieces(tag: record.tag) { piece throws(BackupFailure) in bytes += Array(piece) }
        return bytes
    }

    private static func change(_ machine: Machine, _ bytes: [UInt8]) throws {
        try machine.write(name, bytes)
        try? FileManager.default.removeItem(atPath: machine.home + "/gone")
    }

    @Test(
        "a reader keeps its backup to its end, and the new one counts at once for every other",
        arguments: [true, false])
    func keeping(isEncrypted: Bool) throws {
        let machine = try Self.machine(isEncrypted: isEncrypted)
        do {
            let reader = try machine.opened()
            try Self.change(machine, [2, 2])
            #expect(try machine.backUp(encrypted: isEncrypted).placement == .awaitsReaders)
            #expect(try Self.content(reader) == [1])
            let later = try machine.opened()
            #expect(try Self.content(later) == [2, 2])
            // Its files wait in the place where the next one would be made.
            #expect {
                try machine.backUp(encrypted: isEncrypted)
            } throws: {
                guard case .backup(.beingRead)? = $0 as? RunFailure else { return false }
                return true
            }
            #expect(try reader.reading { try Self.content(reader) } == [1])
            #expect(try later.reading { try Self.content(later) } == [2, 2])
        }
        try Self.change(machine, [3, 3, 3])
        let report = try machine.backUp(encrypted: isEncrypted)
        #expect(report.placement == .inPlace && !report.isFull || !isEncrypted)
        let next = try machine.opened()
        #expect(try Self.content(next) == [3, 3, 3])
        #expect(try BackupCheck(next) { _ in true }.strayPayloads == 0)
        #expect(!FileManager.default.fileExists(atPath: machine.folder + "/Snapshot"))
    }

    @Test("a run waits until its readers have ended, then moves")
    func waiting() throws {
        let machine = try Self.machine(isEncrypted: true)
        var reader: OpenedBackup? = try machine.opened()
        try Self.change(machine, [2])
        var questions = 0
        let patience = LockPatience {
            questions += 1
            if questions == 3 { reader = nil }
            return true
        }
        #expect(try machine.backUp(encrypted: true, patience: patience).placement == .inPlace)
        #expect(questions == 3 && reader == nil)
        #expect(!FileManager.default.fileExists(atPath: machine.folder + "/Snapshot"))
    }

    @Test("a reader waits for the moves of a run, and says so when they do not end")
    func moving() throws {
        let machine = try Self.machine(isEncrypted: false)
        var run: OwnedDescriptor? = try OwnedDescriptor(opening: machine.folder + "/" + BackupNames.lock, O_RDWR)
        #expect(try run?.tryLock(alone: true) == true)
        let password = BackedUpHome.box("")
        #expect(throws: BackupFailure.beingMoved(path: machine.folder)) {
            _ = try OpenedBackup.opened(BackupFolder(machine.folder), password: password, patience: .none)
        }
        // Looks at the lists alone need no lock.
        #expect(try !BackupFolder(machine.folder).manifest().isEncrypted)
        let patience = LockPatience {
            run = nil
            return true
        }
        let backup = try OpenedBackup.opened(BackupFolder(machine.folder), password: password, patience: patience)
            .backup
        #expect(try Self.content(backup) == [1])
    }

    /// As a network file system without locks, and a backup that no run of this release has touched.
    private static func removeLocks(_ machine: Machine) throws {
        let lock = machine.folder + "/" + BackupNames.lock
        try FileManager.default.removeItem(atPath: lock)
        try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
    }

    @Test(
        "where there are no locks a run goes on, and a reader says that the backup changed", arguments: [true, false])
    func withoutLocks(isEncrypted: Bool) throws {
        let machine = try Self.machine(isEncrypted: isEncrypted)
        try Self.removeLocks(machine)
        let reader = try machine.opened()
        #expect(try reader.reading { try Self.content(reader) } == [1])
        try Self.change(machine, [2, 2])
        #expect(try machine.backUp(encrypted: isEncrypted).placement == .inPlace)
        #expect(throws: BackupFailure.changedMeanwhile) { try reader.reading { true } }
        // The mixture that is read now is not called damaged.
        #expect(throws: BackupFailure.changedMeanwhile) {
            try reader.reading { try BackupCheck(reader) { _ in true } }
        }
        #expect {
            try machine.restore(reader, to: machine.path + "/restored")
        } throws: {
            guard case .backup(.changedMeanwhile)? = $0 as? RunFailure else { return false }
            return true
        }
        #expect(!FileManager.default.fileExists(atPath: machine.path + "/restored"))
        #expect(try Self.content(machine.opened()) == [2, 2])
    }

    @Test("without locks, a reader between the mark and the end of the moves says that the backup changed")
    func amidMoves() throws {
        let machine = try Self.machine(isEncrypted: true)
        try Self.removeLocks(machine)
        let reader = try machine.opened()
        try Self.change(machine, [2, 2])
        #expect(throws: (any Error).self) { try machine.backUp(encrypted: true, stoppingAt: .amidMoves) }
        #expect(throws: BackupFailure.changedMeanwhile) {
            try reader.reading { try BackupCheck(reader) { _ in true } }
        }
        #expect(try Self.content(machine.opened()) == [2, 2])
    }

    @Test("a reader writes nothing into a backup of another maker, and needs no lock there")
    func foreign() throws {
        let machine = try Self.machine(isEncrypted: false)
        try FileManager.default.removeItem(atPath: machine.folder + "/" + BackupNames.lock)
        let before = Set(try FileManager.default.subpathsOfDirectory(atPath: machine.folder))
        let reader = try machine.opened()
        #expect(try reader.reading { try Self.content(reader) } == [1])
        #expect(Set(try FileManager.default.subpathsOfDirectory(atPath: machine.folder)) == before)
    }

    @Test("every one of the readers beside runs that follow each other finds a whole backup", arguments: [true, false])
    func besideRuns(isEncrypted: Bool) throws {
        let machine = try Self.machine(isEncrypted: isEncrypted)
        for number in 0..<40 { try machine.write("many/\(number)", [UInt8](repeating: UInt8(number), count: 3000)) }
        nonisolated(unsafe) let shared = machine
        onThreads(2) { thread in
            do {
                for number in 0..<10 {
                    if thread == 0 {
                        try Self.change(shared, [UInt8](repeating: 7, count: number + 1))
                        let report = try shared.backUp(encrypted: isEncrypted, patience: .upTo(.seconds(600)))
                        #expect(report.placement == .inPlace)
                    } else {
                        let reader = try shared.opened()
                        let bytes = try reader.reading { try Self.content(reader) }
                        #expect(!bytes.isEmpty)
                    }
                }
            } catch {
                Issue.record("\(thread == 0 ? "run" : "reader"): \(error)")
            }
        }
    }
}
