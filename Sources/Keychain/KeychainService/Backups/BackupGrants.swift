import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyThreading

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
        /// Nil if the passcode was given.
        let host: HostSession?
        var lastUse: Uptime
        /// True once items have made place for those of the backup.
        var hasMadePlace = false
    }

    private static let idleSeconds: Double = 600
    private static let limit = 16

    private let clock: any DeviceClock
    private let entropy: any Entropy
    private let grants = ForkMutex<[[UInt8]: Grant]>([:])

    init(clock: any DeviceClock, entropy: any Entropy) {
        self.clock = clock
        self.entropy = entropy
    }

    /// Adds a grant. Where there are too many, the one that was used least lately goes: mostly one of a process that was
    /// killed.
    /// - Returns: the token that names the grant.
    func add(
        _ deed: Deed, _ keys: SealedBackupKeys, host: HostSession? = nil, to caller: Caller
    ) -> [UInt8] {
        let now = clock.uptime()
        let token = entropy.bytes(BackupGrant.tokenByteCount)
        change { grants in
            grants = grants.filter { now - $0.value.lastUse <= Self.idleSeconds }
            if grants.count >= Self.limit, let oldest = grants.min(by: { $0.value.lastUse < $1.value.lastUse }) {
                grants[oldest.key] = nil
            }
            grants[token] = Grant(deed: deed, keys: keys, process: caller.process, host: host, lastUse: now)
        }
        return token
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
            throw .call(.authFailed, .backupGrantOver)
        }
        return found
    }

    func noteMadePlace(_ token: [UInt8]) {
        grants.withLock { $0[token]?.hasMadePlace = true }
    }

    /// - Returns: false if the grant is not this caller's, or was over.
    func end(_ token: [UInt8], _ caller: Caller) -> Bool {
        change { grants in
            guard let grant = grants[token], grant.process == caller.process else { return false }
            grants[token] = nil
            return true
        }
    }

    /// Ends those of hosts.
    /// - Parameter isWanted: gets the identifier of each host's keybag.
    func end(ofHosts isWanted: ([UInt8]) -> Bool) {
        change { grants in
            grants = grants.filter { grant in grant.value.host.map { !isWanted($0.escrow) } ?? true }
        }
    }

    /// After an erase.
    func forgetCached() {
        change { $0 = [:] }
    }

    /// Sessions of hosts that go with a change are closed after it, because the enclave is told.
    private func change<Value>(_ body: (inout [[UInt8]: Grant]) -> Value) -> Value {
        let (value, former) = grants.withLock { grants in
            let former = grants
            return (body(&grants), former)
        }
        _ = consume former
        return value
    }
}
