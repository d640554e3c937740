import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyEncoding
import LatchkeyKeybag

/// What the enclave knows in memory: the keybag, the loaded class keys, the lock state, the attempt counter, and
/// whether a finger counts.
///
/// A state machine: every change says whether keys came or went, and the service announces it.
struct DeviceState: Sendable {
    enum Change: Sendable {
        case none
        case keys
    }

    private(set) var keybag: SystemKeybag
    private(set) var lockState: LockState
    private(set) var keys: ClassKeys
    /// Uptime at which the keys of a just locked device go.
    private(set) var graceEnd: Uptime?
    /// Uptime of the last use of the unlocked device.
    private var lastUse: Uptime = 0
    var counter: AttemptCounter
    var biometry = BiometryGuard()
    /// The class keys of a locked device that a finger can unlock.
    private(set) var sealedKeys: SealedClassKeys?
    /// What was enrolled when the device was locked; nil where a finger is not to unlock it again.
    private(set) var sealingSet: EnrolmentSet?
    /// The match that unlocked the device last.
    private(set) var fingerUnlock: Evidence.Match?
    /// Evidence of another era does not count: the device restarted, lost its passcode, or was locked from afar.
    private(set) var era: UInt64 = 0
    /// Which stored keybag this is; nil if it is not certain what is stored.
    var generation: StorageGeneration?
    /// Which stored attempt record was looked at last for the status.
    var attemptsGeneration: StorageGeneration?
    /// This process is replacing the stored keybag; what others find there is not news.
    var isWriting = false
    private let entropy: any Entropy

    /// A device that just started.
    init(
        keybag: SystemKeybag, generation: StorageGeneration?, counter: AttemptCounter, entropy: any Entropy
    ) throws(KeybagUnlockFailure) {
        self.keybag = keybag
        self.generation = generation
        self.counter = counter
        self.entropy = entropy
        keys = try keybag.openWithoutPasscode()
        lockState = keybag.hasPasscode ? .beforeFirstUnlock : .noPasscode
    }

    /// As after a boot: only what needs no passcode stays.
    mutating func restart() throws(KeybagUnlockFailure) -> Change {
        beginEra()
        keys = try keybag.openWithoutPasscode()
        lockState = keybag.hasPasscode ? .beforeFirstUnlock : .noPasscode
        graceEnd = nil
        return .keys
    }

    /// The passcode was given, or a finger that counts.
    mutating func unlock(with opened: ClassKeys, uptime: Uptime) -> Change {
        let before = keys.classes
        lastUse = uptime
        keys.add(opened)
        lockState = .unlocked
        graceEnd = nil
        forgetSealedKeys()
        return keys.classes == before ? .none : .keys
    }

    /// Keys go after the grace period, or now if there is none.
    /// - Parameter enrolmentSet: whose match may unlock the device again; nil if none may.
    mutating func lock(graceSeconds: Double, uptime: Uptime, enrolmentSet: EnrolmentSet?) -> Change {
        switch lockState {
        case .noPasscode, .beforeFirstUnlock:
            return .none
        case .unlocked:
            lockState = .locked
            graceEnd = uptime + graceSeconds
            sealingSet = enrolmentSet
        case .locked:
            // A running grace period is only ever shortened.
            graceEnd = graceEnd.map { min($0, uptime + graceSeconds) }
        }
        return expire(uptime: uptime)
    }

    /// Locks at once; only the passcode unlocks again, and whatever was proved before does not count any more.
    mutating func lockRemotely(uptime: Uptime) -> Change {
        beginEra()
        return lock(graceSeconds: 0, uptime: uptime, enrolmentSet: nil)
    }

    /// The unlocked device was used: a secret that a lock protects was opened, a key that it protects did its work, or
    /// a person proved something.
    mutating func wasUsed(uptime: Uptime) {
        lastUse = max(lastUse, uptime)
    }

    /// Uptime at which an unlocked device locks by itself; nil where it does not.
    private var idleEnd: Uptime? {
        guard lockState == .unlocked, let seconds = keybag.settings.lockAfterSeconds else { return nil }
        return lastUse + seconds
    }

    /// Ends the idle time, the grace period and the trust in fingers where they are over at this time.
    /// - Parameter enrolmentSet: the fingers whose match may unlock the device again, where it locks by itself now.
    mutating func expire(uptime: Uptime, enrolmentSet: () -> EnrolmentSet?) -> Change {
        guard let end = idleEnd, uptime >= end else { return expire(uptime: uptime) }
        // As `lock` at that time. If no message came for long, the grace period may be over, too.
        _ = lock(
            graceSeconds: keybag.settings.gracePeriodSeconds, uptime: end, enrolmentSet: enrolmentSet())
        _ = expire(uptime: uptime)
        // Also while the keys still stay: watchers of the lock state must hear of the lock.
        return .keys
    }

    private mutating func expire(uptime: Uptime) -> Change {
        if sealedKeys != nil, biometry.isLockedOut(uptime: uptime) { forgetSealedKeys() }
        guard let end = graceEnd, uptime >= end else { return .none }
        graceEnd = nil
        if let sealingSet, !biometry.isLockedOut(uptime: uptime) {
            let going = keys.filtered { $0.availability == .onlyWhileUnlocked }
            sealedKeys = SealedClassKeys(going, for: sealingSet, entropy: entropy)
        }
        keys.keep { $0.availability != .onlyWhileUnlocked }
        return .keys
    }

    /// Uptime at which ``expire(uptime:enrolmentSet:)`` has something to do; nil if it never has.
    var nextExpiry: Uptime? {
        idleEnd ?? graceEnd ?? (sealedKeys == nil ? nil : biometry.endOfTrust)
    }

    /// Another keybag is stored now, written by this process with these keys in hand.
    mutating func replace(
        _ keybag: SystemKeybag, generation: StorageGeneration?, keys: ClassKeys?, lockState: LockState?,
        uptime: Uptime
    ) -> Change {
        // A time that is set now, or a passcode, begins now.
        lastUse = max(lastUse, uptime)
        self.keybag = keybag
        self.generation = generation
        isWriting = false
        if let lockState {
            self.lockState = lockState
            graceEnd = nil
            if lockState == .noPasscode { beginEra() }
        }
        guard let keys else { return .none }
        self.keys = keys
        return .keys
    }

    /// What is stored opens no more.
    mutating func forgetKeys() -> Change {
        beginEra()
        keys = ClassKeys()
        graceEnd = nil
        return .keys
    }

    /// Another process stored a keybag. If only the wrapping is new, no finger unlocks any more and nothing else
    /// changes; else this is as a restart.
    mutating func follow(
        _ keybag: SystemKeybag, generation: StorageGeneration?, uptime: Uptime
    ) throws(KeybagUnlockFailure) -> Change {
        let isSameInside = self.keybag.hasSameClassKeys(as: keybag)
        if !isSameInside { keys = try keybag.openWithoutPasscode() }
        // As in `replace`. Without an idle time the uses of the device were not noted.
        lastUse = max(lastUse, uptime)
        self.keybag = keybag
        self.generation = generation
        forgetSealedKeys()
        guard !isSameInside else { return .none }
        return try restart()
    }

    /// From now on only the passcode unlocks, until the device is locked the next time.
    mutating func forgetSealedKeys() {
        sealedKeys = nil
        sealingSet = nil
    }

    private mutating func beginEra() {
        era += 1
        biometry.needPasscode()
        fingerUnlock = nil
        forgetSealedKeys()
    }
}

extension DeviceState {
    /// Whether a match of this set would unlock the device.
    func opensByFinger(of set: EnrolmentSet) -> Bool {
        switch lockState {
        case .noPasscode, .beforeFirstUnlock: false
        case .unlocked: true
        case .locked where graceEnd != nil: sealingSet == set
        case .locked: sealedKeys?.enrolmentSet == set
        }
    }

    /// A finger matched in front of the locked device. Nil if it does not count.
    mutating func unlock(by match: Evidence.Match) -> Change? {
        guard opensByFinger(of: match.enrolmentSet),
            biometry.matched(unlockingDevice: true, uptime: match.uptime)
        else { return nil }
        fingerUnlock = match
        return unlock(with: sealedKeys?.opened() ?? ClassKeys(), uptime: match.uptime)
    }

    /// A finger was read that is none of those enrolled. The fifth time only the passcode helps.
    mutating func missed() {
        biometry.missed()
        if biometry.endOfTrust == nil { forgetSealedKeys() }
    }
}
