public import Foundation

/// A refusal of a virtual device: a code for programs, the reason and advice for people.
public struct VirtualDeviceError: Error, Sendable, Hashable {
    /// The kinds of refusals. Names and raw values are stable; later versions may add some, so a `switch` needs a default.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The passcode is wrong. It was counted, unless it is the same wrong one as before.
        case wrongPasscode = "wrong-passcode"
        /// After wrong passcodes the next one is not accepted yet: ``VirtualDevice/Status/timeUntilNextAttempt``.
        case delayed = "delayed"
        /// Ten wrong passcodes disabled the device: only ``VirtualDevice/erase()`` helps.
        case disabled = "disabled"
        /// The tenth wrong passcode erased the device; see ``VirtualDevice/setErasesAfterTenFailures(_:)``.
        case erased = "erased"
        /// The device has a passcode that this object does not know, because its files were replaced.
        case unknownPasscode = "unknown-passcode"
        /// ``VirtualDevice/setPasscode(_:)`` on a device that has a passcode.
        case passcodeAlreadySet = "passcode-already-set"
        /// The call needs a passcode, and the device has none.
        case noPasscodeSet = "no-passcode-set"
        /// The new passcode cannot be a passcode, for instance because it is empty.
        case unusablePasscode = "unusable-passcode"
        /// The fingerprint reader is absent, busy, unplugged or not paired; see ``VirtualDevice/setSensor(_:)``.
        case sensorNotReady = "sensor-not-ready"
        /// The finger is not enrolled.
        case fingerNotMatched = "finger-not-matched"
        /// No finger counts now: none is enrolled, the passcode must be given first, or biometry is locked out.
        case biometryNotAvailable = "biometry-not-available"
        /// The device is switched off; see ``VirtualDevice/stop()``.
        case notRunning = "not-running"
        /// The device was closed; see ``VirtualDevice/close()``.
        case closed = "closed"
        /// The device has the machine's clock, which a test cannot move.
        case clockNotMovable = "clock-not-movable"
        /// A program of the device is missing or cannot be started.
        case programNotStarted = "program-not-started"
        /// A file or a socket of the device cannot be made, read or written, or a file is damaged.
        case storageFailed = "storage-failed"
        /// A backup was not made or not restored, for instance because the device is locked.
        case backupFailed = "backup-failed"
        /// A device of a ``SyncLaboratory`` did not do what its circle asked for, for instance because it is locked, or the devices
        /// exchange something without end.
        case syncFailed = "sync-failed"
        /// The daemon of the device does not answer.
        case unreachable = "unreachable"
        /// The answer is not one to this call: daemon, enclave and kit are of different versions.
        case unexpectedAnswer = "unexpected-answer"
    }

    public let code: Code
    /// The reason of the refusal, in words for people. The text is not part of the interface.
    public let reason: String
    /// Words for people on how to go on. The text is not part of the interface.
    public let advice: String
    /// The call that was refused; nil while the device is made.
    private let call: String?
    /// The device with its seed.
    private let device: String?

    init(_ code: Code, _ call: String? = nil, reason: String, advice: String, of device: VirtualDevice? = nil) {
        self.code = code
        self.reason = reason
        self.advice = advice
        self.call = call
        self.device = device?.description
    }
}

extension VirtualDeviceError: CustomStringConvertible {
    public var description: String {
        (call.map { "\($0): " } ?? "") + "\(reason) \(advice)" + (device.map { " [\($0)]" } ?? "")
    }
}

extension VirtualDeviceError: LocalizedError {
    public var errorDescription: String? { reason }
    public var recoverySuggestion: String? { advice }
}
