import Glibc
import LatchkeyBackupFormat
import LatchkeyFileAccess
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// A look at the directories that are restored into, before the first item is: whether they can be written, have room, and the
/// device gives keys for the files.
struct RestoreOutlook {
    /// The growth of one file system.
    private struct Growth {
        let target: RestoreTarget
        var byteCount: UInt64 = 0
    }

    private let backup: OpenedBackup
    private let policy: RestorePolicy
    private var growths: [UInt64: Growth] = [:]
    /// The classes of files that this process makes, each with the path of one.
    private var classes: [FileProtection: String] = [:]

    /// - Throws: ``RunFailure`` for the first trouble.
    init(
        _ backup: OpenedBackup, _ targets: RestoreTargets, _ policy: RestorePolicy, proceed: () -> Bool
    ) throws {
        self.backup = backup
        self.policy = policy
        for domain in targets.domains {
            guard let (target, isNew) = try targets.existing(domain) else { continue }
            var writes = false
            try backup.index.visit(domain: domain) { row in
                guard proceed() else { throw RunFailure.cancelled }
                // Rows that cannot be read, and entries that cannot be reached, are named by the restore.
                guard let record = try? row.get(),
                    let growth = try? growth(of: record, in: isNew ? nil : target) ?? nil
                else { return true }
                writes = true
                if record.kind == .file { note(growth, of: record, target) }
                return true
            }
            if writes { try target.checkWritable() }
        }
    }

    /// The bytes that an entry will take more than now; nil if nothing is written. The index only claims a size, so the
    /// payload counts.
    private func growth(of record: FileRecord, in target: RestoreTarget?) throws -> UInt64? {
        let former = try target?.place(record.path, isMade: false)?.status()
        guard record.kind == .file else { return former == nil ? 0 : nil }
        if let former, !isReplaced(former, by: record) { return nil }
        let stored = try UInt64(max(0, backup.folder.payload(record.fileID).status().st_size))
        let present = UInt64(max(0, former?.st_size ?? 0))
        return stored > present ? stored - present : 0
    }

    /// False for a file that stays: it is the same by its time, is to be kept, or is of another kind.
    private func isReplaced(_ former: stat, by record: FileRecord) -> Bool {
        let modified = Int64(former.st_mtim.tv_sec)
        guard former.st_mode & S_IFMT == S_IFREG, modified != record.modified else { return false }
        switch policy {
        case .keep: return false
        case .merge: return modified < record.modified
        case .replace: return true
        }
    }

    private mutating func note(_ byteCount: UInt64, of record: FileRecord, _ target: RestoreTarget) {
        growths[target.fileSystem, default: Growth(target: target)].byteCount &+= byteCount
        guard let protection = record.restoredProtection, !target.isOnVolume else { return }
        classes[protection] = classes[protection] ?? record.name
    }

    /// - Throws: ``RunFailure`` if the files do not fit, or the device gives no keys for them.
    func check(_ vault: FileVault) throws(RunFailure) {
        for growth in growths.values {
            guard let free = growth.target.freeByteCount, free < growth.byteCount else { continue }
            throw .noRoom(path: growth.target.path, needed: growth.byteCount, free: free)
        }
        for (protection, path) in classes {
            do throws(AccessFailure) {
                _ = try vault.singleKey(protection)
            } catch {
                throw RunFailure(error, writing: path)
            }
        }
    }
}

extension RunFailure {
    /// A file that cannot be written, if that ends a run: the same is true of the files after it. Otherwise the failure of one
    /// file, by its path.
    init(_ failure: AccessFailure, writing path: String) {
        switch failure {
        case .refused(let refusal) where refusal.code == .interactionNotAllowed:
            self = .lockedForWriting(path: path)
        case .refused(let refusal):
            let reason = refusal.refusal ?? Refusal(.fileKeyNotHere)
            let isAway = reason.rule == .daemonUnreachable
            self = .device(isAway ? .unreachable(reason) : .declined(refusal.code, reason))
        default: self = .target(path: path, errno: failure.number)
        }
    }
}
