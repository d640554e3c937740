import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyEncoding
import LatchkeyKeybag

/// The enclave's memory: the keybag, the loaded class keys, the phase of the lock, the attempt counter, and the trust in
/// fingers.
///
/// A state machine: every change says whether keys came or went, and the service announces it.
struct DeviceState: Sendable {
    enum Change: Sendable {
        case none
        case keys
    }

    private(set) var keybag: SystemKeybag
    private(set) var keys: ClassKeys
    private(set) var phase: DevicePhase
    var counter: AttemptCounter
    var biometry = BiometryGuard()
    /// The match that unlocked the device last.
    private(set) var fingerUnlock: Evidence.Match?
    /// Evidence of another era does not count: the device restarted, lost its passcode, or was locked from afar.
    private(set) var era: UInt64 = 0
    var stored: StoredGenerations
    private let entropy: any Entropy

    /// A device that just started.
    init(
        keybag: SystemKeybag, generation: StorageGeneration?, counter: AttemptCounter, entropy: any Entropy
    ) throws(KeybagUnlockFailure) {
        self.keybag = keybag
        self.counter = counter
        self.entropy = entropy
        stored = StoredGenerations(keybag: generation)
        keys = try keybag.openWithoutPasscode()
        phase = keybag.hasPasscode ? .beforeFirstUnlock : .noPasscode
    }

    /// As after a boot: only what needs no passcode stays.
    mutating func restart() throws(KeybagUnlockFailure) -> Change {
        beginEra()
        keys = try keybag.openWithoutPasscode()
        phase = keybag.hasPasscode ? .beforeFirstUnlock : .noPasscode
        return .keys
    }

    /// The passcode was given, or a finger that counts.
    mutating func unlock(with opened: ClassKeys, uptime: Uptime) -> Change {
        let before = keys.classes
        keys.add(opened)
        phase = .unlocked(lastUse: uptime)
        return keys.classes == before ? .none : .keys
    }

    /// Keys go after the grace period, or now if there is none.
    /// - Parameter enrolmentSet: whose match may unlock the device again; nil if none may.
    mutating func lock(graceSeconds: Double, uptime: Uptime, enrolmentSet: EnrolmentSet?) -> Change {
        switch phase {
        case .noPasscode, .beforeFirstUnlock: return .none
        case .unlocked: phase = .inGrace(until: uptime + graceSeconds, finger: enrolmentSet)
        // A running grace period is only ever shortened.
        case .inGrace(let end, let finger): phase = .inGrace(until: min(end, uptime + graceSeconds), finger: finger)
        case .locked: break
        }
        return expire(uptime: uptime)
    }

    /// Locks at once; only the passcode unlocks again, and evidence of before does not count any more.
    mutating func lockRemotely(uptime: Uptime) -> Change {
        beginEra()
        return lock(graceSeconds: 0, uptime: uptime, enrolmentSet: nil)
    }

    /// The unlocked device was used: a secret that a lock protects was opened, a key that it protects did its work, or
    /// a person proved something.
    mutating func wasUsed(uptime: Uptime) {
        phase.wasUsed(uptime: uptime)
    }

    /// Uptime at which an unlocked device locks by itself; nil where it does not.
    private var idleEnd: Uptime? {
        guard case .unlocked(let lastUse) = phase, let seconds = keybag.settings.lockAfterSeconds else { return nil }
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
        if phase.sealedKeys != nil, biometry.isLockedOut(uptime: uptime) { phase.forgetFinger() }
        guard case .inGrace(let end, let finger) = phase, uptime >= end else { return .none }
        let going = keys.filtered { $0.availability == .onlyWhileUnlocked }
        let opener = biometry.isLockedOut(uptime: uptime) ? nil : finger
        phase = .locked(opener.map { SealedClassKeys(going, for: $0, entropy: entropy) })
        keys.keep { $0.availability != .onlyWhileUnlocked }
        return .keys
    }

    /// Uptime at which ``expire(uptime:enrolmentSet:)`` has something to do; nil if it never has.
    var nextExpiry: Uptime? {
        idleEnd ?? phase.graceEnd ?? (phase.sealedKeys == nil ? nil : biometry.endOfTrust)
    }

    /// Another keybag is stored now, written by this process with these keys in hand.
    mutating func replace(
        _ keybag: SystemKeybag, generation: StorageGeneration?, keys: ClassKeys?, phase next: DevicePhase?,
        uptime: Uptime
    ) -> Change {
        // A time that is set now, or a passcode, begins now.
        phase.wasUsed(uptime: uptime)
        self.keybag = keybag
        stored.keybag = generation
        stored.isWriting = false
        if let next {
            phase = next
            if case .noPasscode = next { beginEra() }
        }
        guard let keys else { return .none }
        self.keys = keys
        return .keys
    }

    /// The stored keybag opens no more.
    mutating func forgetKeys() -> Change {
        beginEra()
        keys = ClassKeys()
        if case .inGrace = phase { phase = .locked(nil) }
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
        phase.wasUsed(uptime: uptime)
        self.keybag = keybag
        stored.keybag = generation
        phase.forgetFinger()
        guard !isSameInside else { return .none }
        return try restart()
    }

    /// From now on only the passcode unlocks, until the device is locked the next time.
    mutating func forgetFinger() {
        phase.forgetFinger()
    }

    private mutating func beginEra() {
        era += 1
        biometry.needPasscode()
        fingerUnlock = nil
        phase.forgetFinger()
    }
}

extension DeviceState {
    /// Whether a match of this set would unlock the device.
    func opensByFinger(of set: EnrolmentSet) -> Bool {
        switch phase {
        case .noPasscode, .beforeFirstUnlock: false
        case .unlocked: true
        case .inGrace(_, let finger): finger == set
        case .locked(let sealed): sealed?.enrolmentSet == set
        }
    }

    /// A finger matched in front of the locked device. Nil if it does not count.
    mutating func unlock(by match: Evidence.Match) -> Change? {
        guard opensByFinger(of: match.enrolmentSet),
            biometry.matched(unlockingDevice: true, uptime: match.uptime)
        else { return nil }
        fingerUnlock = match
        return unlock(with: phase.sealedKeys?.opened() ?? ClassKeys(), uptime: match.uptime)
    }

    /// Counts a touch by a finger that is not enrolled. After the fifth only the passcode helps.
    mutating func missed() {
        biometry.missed()
        if biometry.endOfTrust == nil { phase.forgetFinger() }
    }
}
