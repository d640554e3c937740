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

    /// Where a run begins.
    enum Start: CaseIterable {
        /// A reader of the former backup is at work throughout: the new one cannot be moved to its place.
        case besideReader
        /// The former run gave up waiting for its readers: its backup counts, and is in its place after this run alone.
        case afterWaiting
    }

    /// Kills runs with readers before each of their calls, or each third and so on. A reader has its whole backup to the end, and the next run finds
    /// everything.
    mutating func sweep(_ start: Start, every distance: Int) throws {
        try current.change(machine, &random)
        try complete()
        var call = 1
        while true {
            let former = kills
            try step(start, killedBefore: call)
            if kills == former { return }
            call += distance
        }
    }

    /// Kills so many runs with readers at random.
    mutating func run(_ start: Start, _ count: Int) throws {
        try current.change(machine, &random)
        try complete()
        while kills < count { try step(start, killedBefore: Int.random(in: 1...140, using: &random)) }
    }

    private mutating func step(_ start: Start, killedBefore call: Int) throws {
        switch start {
        case .besideReader:
            let reader = try machine.opened()
            let before = stored
            try current.change(machine, &random)
            try step(killedBefore: call)
            guard try reader.reading({ try Content(of: reader) }) == before else {
                throw Finding("call \(call): the reader has another backup than it began with")
            }
        case .afterWaiting:
            try leaveWaiting()
            try current.change(machine, &random)
            try step(killedBefore: call)
        }
        try complete()
    }

    /// Makes a backup that counts and waits for a reader, who ends then.
    private mutating func leaveWaiting() throws {
        let reader = try machine.opened()
        try current.change(machine, &random)
        guard try machine.backUp(encrypted: isEncrypted).placement == .awaitsReaders else {
            throw Finding("a run did not wait for its reader")
        }
        stored = current
        withExtendedLifetime(reader) {}
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
        guard try machine.backUp(encrypted: isEncrypted).placement == .inPlace else {
            throw Finding("a run without readers waited")
        }
        guard try found() == current else { throw Finding("a whole backup is not what was backed up") }
        stored = current
        let check = try BackupCheck(machine.opened()) { _ in true }
        guard check.strayPayloads == 0, !FileManager.default.fileExists(atPath: machine.folder + "/Snapshot") else {
            throw Finding("something of a killed run is left")
        }
    }
}
