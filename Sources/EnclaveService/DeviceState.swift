import EnclaveCore
import EnclaveStorage
import Keybag

/// What the enclave knows in memory: the keybag, the loaded class keys, the lock state, the attempt counter.
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
    private(set) var graceEnd: Double?
    var counter: AttemptCounter
    /// Which stored keybag this is; nil if it is not certain what is stored.
    var generation: StorageGeneration?
    /// Which stored attempt record was looked at last for the status.
    var attemptsGeneration: StorageGeneration?
    /// This process is replacing the stored keybag; what others find there is not news.
    var isWriting = false

    /// A device that just started.
    init(
        keybag: SystemKeybag, generation: StorageGeneration?, counter: AttemptCounter
    ) throws(KeybagUnlockFailure) {
        self.keybag = keybag
        self.generation = generation
        self.counter = counter
        keys = try keybag.openWithoutPasscode()
        lockState = keybag.hasPasscode ? .beforeFirstUnlock : .noPasscode
    }

    /// As after a boot: only what needs no passcode stays.
    mutating func restart() throws(KeybagUnlockFailure) -> Change {
        keys = try keybag.openWithoutPasscode()
        lockState = keybag.hasPasscode ? .beforeFirstUnlock : .noPasscode
        graceEnd = nil
        return .keys
    }

    /// The passcode was given.
    mutating func unlock(with opened: ClassKeys) -> Change {
        let before = keys.classes
        keys.add(opened)
        lockState = .unlocked
        graceEnd = nil
        return keys.classes == before ? .none : .keys
    }

    /// Keys go after the grace period, or now if there is none.
    mutating func lock(graceSeconds: Double, uptime: Double) -> Change {
        switch lockState {
        case .noPasscode, .beforeFirstUnlock:
            return .none
        case .unlocked:
            lockState = .locked
            graceEnd = uptime + graceSeconds
        case .locked:
            // A running grace period is only ever shortened.
            graceEnd = graceEnd.map { min($0, uptime + graceSeconds) }
        }
        return expireGrace(uptime: uptime)
    }

    mutating func expireGrace(uptime: Double) -> Change {
        guard let end = graceEnd, uptime >= end else { return .none }
        graceEnd = nil
        keys.keep { $0.availability != .onlyWhileUnlocked }
        return .keys
    }

    /// Another keybag is stored now, written by this process with these keys in hand.
    mutating func replace(
        _ keybag: SystemKeybag, generation: StorageGeneration?, keys: ClassKeys?, lockState: LockState?
    ) -> Change {
        self.keybag = keybag
        self.generation = generation
        isWriting = false
        if let lockState {
            self.lockState = lockState
            graceEnd = nil
        }
        guard let keys else { return .none }
        self.keys = keys
        return .keys
    }

    /// What is stored opens no more.
    mutating func forgetKeys() -> Change {
        keys = ClassKeys()
        graceEnd = nil
        return .keys
    }

    /// Another process stored a keybag. If only the wrapping is new, nothing else changes; else this is as a restart.
    mutating func follow(
        _ keybag: SystemKeybag, generation: StorageGeneration?
    ) throws(KeybagUnlockFailure) -> Change {
        let isSameInside = self.keybag.hasSameClassKeys(as: keybag)
        if !isSameInside { keys = try keybag.openWithoutPasscode() }
        self.keybag = keybag
        self.generation = generation
        guard !isSameInside else { return .none }
        return try restart()
    }
}
