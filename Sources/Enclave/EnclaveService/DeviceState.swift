import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyEncoding
import LatchkeyKeybag

/// The enclave's state in memory: keybag, loaded class keys, lock state, attempt counter, and trust in fingers.
///
/// A state machine: every change returns whether keys were loaded or removed, and the service announces it.
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
    /// Changes when the device restarts, loses its passcode or is locked remotely. Evidence of an earlier era is not
    /// accepted.
    private(set) var era: UInt64 = 0
    /// True from a remote lock until the device is unlocked: a host does not stand for the passcode then.
    private(set) var isLockedRemotely = false
    var stored: StoredGenerations
    private let entropy: any Entropy

    /// The state of a device that has just started.
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

    /// Restarts the device: only keys that do not need the passcode stay loaded.
    mutating func restart() throws(KeybagUnlockFailure) -> Change {
        beginEra()
        keys = try keybag.openWithoutPasscode()
        phase = keybag.hasPasscode ? .beforeFirstUnlock : .noPasscode
        return .keys
    }

    /// Unlocks the device, after the passcode or an accepted finger.
    mutating func unlock(with opened: ClassKeys, uptime: Uptime) -> Change {
        let before = keys.classes
        keys.add(opened)
        phase = .unlocked(lastUse: uptime)
        isLockedRemotely = false
        return keys.classes == before ? .none : .keys
    }

    /// Locks the device. The keys are removed after the grace period, or now if there is none.
    /// - Parameter enrolmentSet: the set whose match may unlock the device again; nil if only the passcode may.
    mutating func lock(graceSeconds: Double, uptime: Uptime, enrolmentSet: EnrolmentSet?) -> Change {
        switch phase {
        case .noPasscode, .beforeFirstUnlock: return .none
        case .unlocked: phase = .inGrace(until: uptime + graceSeconds, finger: enrolmentSet)
        // A running grace period can be shortened, but not extended.
        case .inGrace(let end, let finger): phase = .inGrace(until: min(end, uptime + graceSeconds), finger: finger)
        case .locked: break
        }
        return expire(uptime: uptime)
    }

    /// Locks at once. Only the passcode unlocks the device then, and earlier evidence is not accepted any more.
    mutating func lockRemotely(uptime: Uptime) -> Change {
        beginEra()
        isLockedRemotely = true
        return lock(graceSeconds: 0, uptime: uptime, enrolmentSet: nil)
    }

    /// Records a use of the unlocked device: a secret or a key that a lock protects was used, or the user
    /// authenticated.
    mutating func wasUsed(uptime: Uptime) {
        phase.wasUsed(uptime: uptime)
    }

    /// The uptime at which an unlocked device locks by itself; nil if it does not.
    private var idleEnd: Uptime? {
        guard case .unlocked(let lastUse) = phase, let seconds = keybag.settings.lockAfterSeconds else { return nil }
        return lastUse + seconds
    }

    /// Ends the idle time, the grace period and the trust in fingers that are over at this time.
    /// - Parameter enrolmentSet: the set whose match may unlock the device again, if the idle time ends now.
    mutating func expire(uptime: Uptime, enrolmentSet: () -> EnrolmentSet?) -> Change {
        guard let end = idleEnd, uptime >= end else { return expire(uptime: uptime) }
        // Locks as of that time. If no message came for long, the grace period may have ended, too.
        _ = lock(
            graceSeconds: keybag.settings.gracePeriodSeconds, uptime: end, enrolmentSet: enrolmentSet())
        _ = expire(uptime: uptime)
        // Announced even if all keys stay loaded, because clients that watch the lock state must notice the lock.
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

    /// The uptime at which ``expire(uptime:enrolmentSet:)`` has an effect; nil if it never has.
    var nextExpiry: Uptime? {
        idleEnd ?? phase.graceEnd ?? (phase.sealedKeys == nil ? nil : biometry.endOfTrust)
    }

    /// Takes over a keybag that this process has stored, and its keys.
    mutating func replace(
        _ keybag: SystemKeybag, generation: StorageGeneration?, keys: ClassKeys?, phase next: DevicePhase?,
        uptime: Uptime
    ) -> Change {
        // A new idle time or a new passcode starts now.
        phase.wasUsed(uptime: uptime)
        self.keybag = keybag
        stored.keybag = generation
        stored.isWriting = false
        if let next {
            phase = next
            phase.wasUsed(uptime: uptime)
            if case .noPasscode = next {
                beginEra()
                isLockedRemotely = false
            }
        }
        guard let keys else { return .none }
        self.keys = keys
        return .keys
    }

    /// Removes all keys, because the stored keybag can no longer be opened.
    mutating func forgetKeys() -> Change {
        beginEra()
        keys = ClassKeys()
        if case .inGrace = phase { phase = .locked(nil) }
        return .keys
    }

    /// Takes over a keybag that another process has stored. If only its wrapping is new, fingers no longer unlock the
    /// device; otherwise the device restarts.
    mutating func follow(
        _ keybag: SystemKeybag, generation: StorageGeneration?, uptime: Uptime
    ) throws(KeybagUnlockFailure) -> Change {
        let isSameInside = self.keybag.hasSameClassKeys(as: keybag)
        if !isSameInside { keys = try keybag.openWithoutPasscode() }
        // As in `replace`. Uses of the device were not recorded if there was no idle time.
        phase.wasUsed(uptime: uptime)
        self.keybag = keybag
        stored.keybag = generation
        phase.forgetFinger()
        guard !isSameInside else { return .none }
        return try restart()
    }

    /// Requires the passcode for the next unlock.
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
    /// Returns true if a match of this set would unlock the device.
    func opensByFinger(of set: EnrolmentSet) -> Bool {
        switch phase {
        case .noPasscode, .beforeFirstUnlock: false
        case .unlocked: true
        case .inGrace(_, let finger): finger == set
        case .locked(let sealed): sealed?.enrolmentSet == set
        }
    }

    /// Unlocks the device with a matched finger. Returns nil if the match is not accepted.
    mutating func unlock(by match: Evidence.Match) -> Change? {
        guard opensByFinger(of: match.enrolmentSet),
            biometry.matched(unlockingDevice: true, uptime: match.uptime)
        else { return nil }
        fingerUnlock = match
        return unlock(with: phase.sealedKeys?.opened() ?? ClassKeys(), uptime: match.uptime)
    }

    /// Records a finger that was read and is not enrolled. After the fifth one the passcode is required.
    mutating func missed() {
        biometry.missed()
        if biometry.endOfTrust == nil { phase.forgetFinger() }
    }
}
