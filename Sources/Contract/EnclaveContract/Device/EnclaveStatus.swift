package import LatchkeyKeybag

/// The state of the device at one time.
package struct EnclaveStatus: Sendable, Equatable {
    package var lockState: LockState
    package var hasPasscode: Bool
    /// The number of consecutive failed tries.
    package var failedAttempts: Int
    /// The seconds until the next try is accepted; 0 if it is accepted now.
    package var secondsUntilNextAttempt: Double
    /// True after ten failures without the erase option: no passcode is accepted any more.
    package var isDisabled: Bool
    package var eraseAfterTenFailures: Bool
    package var gracePeriodSeconds: Double
    /// The seconds until the keys of a device that was just locked are removed; nil outside of the grace period.
    package var graceSecondsLeft: Double?
    /// Grows whenever class keys are loaded or removed. Key caches are valid for one epoch.
    package var keyEpoch: UInt64
    /// The kind of the root of trust: "software" for the file.
    package var rootOfTrust: String
    package var keybagUUID: [UInt8]
    /// The seconds of inactivity after which the device locks; nil if it does not lock by itself.
    package var lockAfterSeconds: Double?
    /// Nil without a passcode, and for a passcode that was set by a version that did not record this.
    package var passcodeStrength: PasscodeStrength?
    /// The processor time of this machine for one try of the passcode, measured when it was set; nil like
    /// ``passcodeStrength``.
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
