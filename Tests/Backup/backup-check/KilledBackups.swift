import Foundation
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyTestSupport

/// Backups into one folder, one after the other, that are killed before some call that changes files. After each the
/// folder holds the former backup or the new one, and either is whole.
struct KilledBackups {
    private let machine: Machine
    private let isEncrypted: Bool
    private var random: SplitMix
    /// The content of the machine now, and of the folder; the latter is nil before the first backup.
    private var current = Content()
    private var stored: Content?
    private(set) var kills = 0
    private(set) var committed = 0

    init(seed: UInt64, isEncrypted: Bool) throws {
        machine = try Machine()
        try machine.setPassword()
        self.isEncrypted = isEncrypted
        random = SplitMix(seed: seed)
    }

    /// - Parameter count: of runs that are killed.
    mutating func run(_ count: Int) throws {
        while kills < count {
            try current.change(machine, &random)
            // So many calls does such a run make.
            try step(killedBefore: Int.random(in: 1...110, using: &random))
            if kills % 10 == 9 { try complete() }
        }
        try complete()
    }

    /// Kills a second backup before each of its calls, one after the other, or lets the calls from there on fail.
    ///
    /// - Parameter distance: from one call to the next.
    mutating func sweep(failingWith error: Int32? = nil, every distance: Int = 1) throws {
        try current.change(machine, &random)
        try complete()
        var call = 1
        while true {
            let former = kills
            try current.change(machine, &random)
            try step(killedBefore: call, orFailingWith: error)
            if kills == former { break }
            call += distance
            if call / distance % 5 == 0 { try complete() }
        }
        try complete()
    }

    private mutating func step(killedBefore call: Int, orFailingWith error: Int32? = nil) throws {
        let run: KilledRun = isEncrypted ? .encryptedBackup : .plainBackup
        let ending = try run.run(on: machine, killedBefore: call, orFailingWith: error)
        guard ending == .whole || ending == (error == nil ? .killed : .failed) else {
            throw Finding("a backup that was to end at call \(call) has \(ending)")
        }
        if ending != .whole { kills += 1 }
        guard let found = try found() else {
            guard stored == nil, ending != .whole else { throw Finding("call \(call): the backup is gone") }
            return
        }
        guard found == current || (found == stored && ending != .whole) else {
            throw Finding("call \(call): the backup is neither the former nor the new one")
        }
        if found == current { committed += 1 }
        stored = found
    }

    private func found() throws -> Content? {
        let backup: OpenedBackup
        do {
            backup = try machine.opened()
        } catch BackupFailure.notABackup {
            return nil
        }
        let findings = try BackupCheck(backup) { _ in true }.findings
        guard findings.isEmpty else { throw Finding("the backup is damaged: \(findings)") }
        return try Content(of: backup)
    }

    /// A run that is not killed, after which nothing of the killed ones is left.
    private mutating func complete() throws {
        try machine.backUp(encrypted: isEncrypted)
        guard try found() == current else { throw Finding("a whole backup is not what was backed up") }
        stored = current
        let check = try BackupCheck(machine.opened()) { _ in true }
        guard check.strayPayloads == 0, !FileManager.default.fileExists(atPath: machine.folder + "/Snapshot") else {
            throw Finding("something of a killed run is left")
        }
    }
}
