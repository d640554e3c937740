import Foundation
import LatchkeyBackupTesting
import LatchkeyTestSupport

/// Restores of the files of one backup that are killed before some call that changes files. After each every file is whole or not
/// there, and the next run goes on where the killed one ended.
struct KilledRestores {
    private let machine: Machine
    private let backedUp: Content
    private let target: String
    private(set) var kills = 0

    init(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        machine = try Machine()
        try machine.setPassword()
        var content = Content()
        try content.change(machine, &random)
        backedUp = content
        target = KilledRun.target(of: machine)
        try machine.backUp(encrypted: true)
    }

    /// Kills restores into an empty directory at random, several in a row, each time until one ends by itself.
    mutating func run(_ count: Int, seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        while kills < count {
            try? FileManager.default.removeItem(atPath: target)
            while try !step(killedBefore: Int.random(in: 1...60, using: &random)) {}
        }
    }

    /// Kills a restore before each of its calls, or each third and so on.
    mutating func sweep(every distance: Int) throws {
        var call = 1
        while true {
            try? FileManager.default.removeItem(atPath: target)
            if try step(killedBefore: call) { return }
            guard try step(killedBefore: nil) else { throw Finding("call \(call): the next run does not end") }
            call += distance
        }
    }

    /// Returns true if the run was not killed.
    private mutating func step(killedBefore call: Int?) throws -> Bool {
        let ending = try KilledRun.restore.run(on: machine, killedBefore: call)
        let found = try files()
        switch ending {
        case .killed:
            kills += 1
            let unfinished = found.keys.filter { $0.contains(".latchkey-restore-") }
            guard unfinished.count <= 1 else { throw Finding("call \(call ?? 0): several unfinished files are left") }
            for (name, bytes) in found where !unfinished.contains(name) && backedUp.files[name] != bytes {
                throw Finding("call \(call ?? 0): \(name) is not whole")
            }
            return false
        case .whole:
            guard found == backedUp.files else {
                throw Finding("after call \(call ?? 0): what was restored is not what was backed up")
            }
            return true
        case .failed: throw Finding("a restore that was to be killed before call \(call ?? 0) failed")
        }
    }

    private func files() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in FileManager.default.subpaths(atPath: target) ?? [] {
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: target + "/" + name, isDirectory: &isDirectory),
                !isDirectory.boolValue
            else { continue }
            // An incomplete file must not open as one of ours.
            let isUnfinished = name.contains(".latchkey-restore-")
            files[name] = isUnfinished ? [] : try machine.content(name, in: target)
        }
        return files
    }
}
