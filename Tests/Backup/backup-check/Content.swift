import Foundation
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyKeybag
import LatchkeyTestSupport
import Security

/// The files of a home directory with their content, and the number of the device's items.
struct Content: Equatable {
    var files: [String: [UInt8]] = [:]
    var items = 0

    init() {}

    /// Everything in a backup, read to its last byte.
    init(of backup: OpenedBackup) throws {
        try backup.index.visit(domain: BackupSource.home) { row in
            let record = try row.get()
            guard record.kind == .file else { return true }
            var bytes: [UInt8] = []
            try backup.content(of: record).pieces(tag: record.tag) { piece throws(BackupFailure) in
                bytes += Array(piece)
            }
            files[record.path] = bytes
            return true
        }
        items = try backup.keychain()?.count ?? 0
    }

    /// Changes some files and items of a machine.
    mutating func change(_ machine: Machine, _ random: inout SplitMix) throws {
        let classes: [FileProtection?] = [nil, .complete, .completeUnlessOpen, .completeUntilFirstUserAuthentication]
        for name in files.keys.sorted() where Int.random(in: 0..<4, using: &random) == 0 {
            try FileManager.default.removeItem(atPath: machine.home + "/" + name)
            files[name] = nil
        }
        for _ in 0..<6 {
            let name = "folder \(Int.random(in: 0..<3, using: &random))/\(Int.random(in: 0..<8, using: &random))"
            let count = [0, 1, 16, 5000, 300_000].randomElement(using: &random) ?? 0
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            try machine.write(name, bytes, classes.randomElement(using: &random) ?? nil)
            files[name] = bytes
        }
        guard machine.add("account \(items)", "ck" as CFString, "secret") == 0 else { throw Finding("no item added") }
        items += 1
    }
}

/// A fault that was found.
struct Finding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
