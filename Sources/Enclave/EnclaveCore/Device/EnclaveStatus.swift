package import LatchkeyKeybag

/// The state of the device at a moment.
package struct EnclaveStatus: Sendable, Equatable {
    package var lockState: LockState
    package var hasPasscode: Bool
    /// Consecutive failed tries.
    package var failedAttempts: Int
    /// Seconds until the next try is accepted; 0 if it may come now.
    package var secondsUntilNextAttempt: Double
    /// Ten failures without the erase option: no passcode is accepted any more.
    package var isDisabled: Bool
    package var eraseAfterTenFailures: Bool
    package var gracePeriodSeconds: Double
    /// Seconds until the keys of a just locked device go; nil if no grace period is running.
    package var graceSecondsLeft: Double?
    /// Grows whenever class keys come or go. Caches of keys are valid for one epoch.
    package var keyEpoch: UInt64
    /// The kind of the root of trust: "software" for the file.
    package var rootOfTrust: String
    package var keybagUUID: [UInt8]
    /// Seconds that the device stays unlocked unused; nil: it does not lock by itself.
    package var lockAfterSeconds: Double?
    /// Nil without a passcode, and for one that was set before this was recorded.
    package var passcodeStrength: PasscodeStrength?
    /// Seconds of this machine's processor that one try of the passcode took when it was set; nil as before.
    package var secondsPerTry: Double?

    package init(
        lockState: LockState, hasPasscode: Bool, failedAttempts: Int, secondsUntilNextAttempt: Double,
        isDisabled: Bool, eraseAfterTenFailures: Bool, gracePeriodSeconds: Double, graceSecondsLeft: Double?,
        keyEpoch: UInt64, rootOfTrust: String, keybagUUID: [UInt8], lockAfterSeconds: Double? = nil,
        passcodeStrength: PasscodeStrength? = nil, secondsPerTry: Double? = nil
    ) {
        self.lockState = lockState
        self.hasPasscode = hasPasscode
        self.failedAttempts = failedAttempts
        self.secondsUntilNextAttempt = secondsUntilNextAttempt
        self.isDisabled = isDisabled
        self.eraseAfterTenFailures = eraseAfterTenFailures
        self.gracePeriodSeconds = gracePeriodSeconds
        self.graceSecondsLeft = graceSecondsLeft
        self.keyEpoch = keyEpoch
        self.rootOfTrust = rootOfTrust
        self.keybagUUID = keybagUUID
        self.lockAfterSeconds = lockAfterSeconds
        self.passcodeStrength = passcodeStrength
        self.secondsPerTry = secondsPerTry
    }
}
