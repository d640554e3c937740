import LatchkeyAccessControl
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyEncoding
import LatchkeyKeybag

/// The place of a device between lock and unlock, with what belongs to that place alone.
enum DevicePhase: Sendable {
    case noPasscode
    case beforeFirstUnlock
    /// `lastUse`: the uptime from which the idle time counts.
    case unlocked(lastUse: Uptime)
    /// Locked, and the keys stay until an uptime. A match of the set, if there is one, unlocks again.
    case inGrace(until: Uptime, finger: EnrolmentSet?)
    /// Locked, and the keys are gone. A finger can release those that are sealed.
    case locked(SealedClassKeys?)

    var lockState: LockState {
        switch self {
        case .noPasscode: .noPasscode
        case .beforeFirstUnlock: .beforeFirstUnlock
        case .unlocked: .unlocked
        case .inGrace, .locked: .locked
        }
    }

    /// Uptime at which the keys of a just locked device go.
    var graceEnd: Uptime? {
        if case .inGrace(let end, _) = self { end } else { nil }
    }

    /// The class keys of a locked device that a finger can unlock.
    var sealedKeys: SealedClassKeys? {
        if case .locked(let sealed) = self { sealed } else { nil }
    }

    /// Only the passcode unlocks from now on, until the device is locked the next time.
    mutating func forgetFinger() {
        switch self {
        case .inGrace(let end, _): self = .inGrace(until: end, finger: nil)
        case .locked: self = .locked(nil)
        case .noPasscode, .beforeFirstUnlock, .unlocked: break
        }
    }

    /// The idle time of an unlocked device begins anew.
    mutating func wasUsed(uptime: Uptime) {
        if case .unlocked(let lastUse) = self { self = .unlocked(lastUse: max(lastUse, uptime)) }
    }
}

/// The versions of the stored files that this process has seen. Other processes write them, too.
struct StoredGenerations: Sendable {
    /// The version of the keybag in memory; nil if it is uncertain.
    var keybag: StorageGeneration?
    /// The version of the attempt record that was last read for the status.
    var attempts: StorageGeneration?
    /// True while this process replaces the stored keybag. A new version on disk is then its own.
    var isWriting = false
}
