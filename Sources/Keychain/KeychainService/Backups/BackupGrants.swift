import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import Synchronization

/// The grants that are in use: who may back up or restore items now. They live in memory alone.
final class BackupGrants: DatabaseCache, Sendable {
    enum Deed: Sendable {
        case backup(isEncrypted: Bool)
        case restore(RestorePolicy)
    }

    struct Grant: Sendable {
        let deed: Deed
        let keys: SealedBackupKeys
        let process: CallerProcess?
        var lastUse: Uptime
        /// True once items have made place for those of the backup.
        var hasMadePlace = false
    }

    private static let idleSeconds: Double = 600
    private static let limit = 16

    private let clock: any DeviceClock
    private let grants = Mutex<[[UInt8]: Grant]>([:])

    init(clock: any DeviceClock) {
        self.clock = clock
    }

    /// Adds a grant. Where there are too many, the one that was used least lately goes: mostly one of a process that was
    /// killed.
    func add(_ deed: Deed, _ keys: SealedBackupKeys, to caller: Caller, token: [UInt8]) {
        let now = clock.uptime()
        grants.withLock { grants in
            grants = grants.filter { now - $0.value.lastUse <= Self.idleSeconds }
            if grants.count >= Self.limit, let oldest = grants.min(by: { $0.value.lastUse < $1.value.lastUse }) {
                grants[oldest.key] = nil
            }
            grants[token] = Grant(deed: deed, keys: keys, process: caller.process, lastUse: now)
        }
    }

    /// The grant of a token, if it is this caller's and not over.
    func grant(_ token: [UInt8], _ caller: Caller) throws(Setback) -> Grant {
        let now = clock.uptime()
        let found = grants.withLock { grants -> Grant? in
            guard var grant = grants[token], grant.process == caller.process,
                now - grant.lastUse <= Self.idleSeconds
            else { return nil }
            grant.lastUse = now
            grants[token] = grant
            return grant
        }
        guard let found else {
            throw .call(
                .authFailed, .backupGrantOver,
                "The right to back up or restore is over, or was never given to this program.",
                advice: "Begin again; what was done so far is kept.")
        }
        return found
    }

    func noteMadePlace(_ token: [UInt8]) {
        grants.withLock { $0[token]?.hasMadePlace = true }
    }

    func end(_ token: [UInt8], _ caller: Caller) {
        grants.withLock { grants in
            if grants[token]?.process == caller.process { grants[token] = nil }
        }
    }

    /// After an erase.
    func forgetCached() {
        grants.withLock { $0 = [:] }
    }
}
