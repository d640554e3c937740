package import LatchkeyEncoding
package import LatchkeyKeybag
package import LatchkeySecretMemory

/// What a wrapped key is for. It is mixed into the wrapping key, so that a key wrapped for one use opens for no other.
package enum KeyUse: UInt8, Sendable, CaseIterable {
    /// Encrypts the secret of one item.
    case item = 1
    /// Encrypts the attributes of the items of one class.
    case metadata = 2
    /// Computes the search tokens of a device.
    case search = 3
    /// A key of the enclave's own: it wraps the number or seed itself, which is never given out.
    case signing = 4
}

/// A key that only the enclave can open. `binding` (the serialised access control of an item, else empty) is mixed
/// into the wrapping key: altered, the key is lost.
package struct WrappedKey: Sendable, Equatable {
    package let keyClass: KeyClass
    package let use: KeyUse
    package let binding: [UInt8]
    package let bytes: [UInt8]

    package init(keyClass: KeyClass, use: KeyUse, binding: [UInt8], bytes: [UInt8]) {
        self.keyClass = keyClass
        self.use = use
        self.binding = binding
        self.bytes = bytes
    }
}

/// The enclave's mailbox: every question that may be put to it.
package enum EnclaveRequest: Sendable {
    case status
    /// Allowed only while no passcode is set.
    case setPasscode(new: SecretBox)
    case changePasscode(current: SecretBox, new: SecretBox)
    case removePasscode(current: SecretBox)
    case unlock(passcode: SecretBox)
    /// Counts as a try like any other, changes no lock state.
    case verifyPasscode(SecretBox)
    /// Locks: keys go at the end of the grace period, or at once.
    case lock(immediately: Bool)
    /// Forgets every key for ever. With a passcode set it must be given.
    case erase(passcode: SecretBox?)
    /// Nil leaves a setting as it is. Needs the passcode if one is set. `lockAfterSeconds` 0: the device does not lock
    /// by itself.
    case configure(
        passcode: SecretBox?, eraseAfterTenFailures: Bool?, gracePeriodSeconds: Double?,
        lockAfterSeconds: Double? = nil)
    /// The cost of one try of a new passcode on this machine. Measured once, which takes a few tenths of a second.
    case passcodeCost
    /// A fresh random 32-byte key and its wrapped form.
    case createKey(keyClass: KeyClass, use: KeyUse, binding: [UInt8])
    /// 1 to `EnclaveLimits.keysPerBatch` fresh keys at once.
    ///
    /// The context brings the application password, if the binding asks for one.
    case createKeys(keyClass: KeyClass, use: KeyUse, binding: [UInt8], count: Int, context: ContextIdentifier? = nil)
    /// Opens up to `EnclaveLimits.keysPerBatch` keys; each is answered for itself. Item keys whose binding has
    /// conditions open only with the evidence of a context.
    case unwrapKeys([WrappedKey], context: ContextIdentifier? = nil)
    /// Answers when the key epoch is no longer `epoch`: keys came or went. After some seconds without a change it
    /// answers with the same epoch. Only over a connection of its own.
    case waitForChange(epoch: UInt64)
    case context(ContextRequest)
    case biometry(BiometryRequest)
    case key(EnclaveKeyRequest)
}

package enum EnclaveLimits {
    package static let keysPerBatch = 256
    package static let passcodeByteCount = 1024
    package static let bindingByteCount = 4096
    package static let applicationPasswordByteCount = 4096
    package static let keyBlobByteCount = 4096
    /// What a P-256 key of the enclave signs at once.
    package static let digestByteCount = 64
    /// What an ML-DSA key of the enclave signs at once.
    package static let messageByteCount = 1 << 20
    /// The context string beside a message, as FIPS 204 has it.
    package static let contextStringByteCount = 255
    /// Authentication contexts that are open at the same time.
    package static let contexts = 1024
    /// The longest reuse window of an unlock by finger.
    package static let reuseSeconds: Double = 300
    /// The longest wait for a finger that one request asks for.
    package static let matchSeconds: Double = 300
}

/// What the enclave is at a moment.
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
    /// What the root of trust is: "software" for the file.
    package var rootOfTrust: String
    package var keybagUUID: [UInt8]
    /// How long the device stays unlocked unused; nil: it does not lock by itself.
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

/// Why one key was not opened or made.
package enum KeyRefusal: UInt8, Error, Sendable {
    /// The class key exists but is not loaded in this lock state.
    case locked = 1
    /// The class key does not exist (`akpu` without a passcode).
    case classKeyMissing = 2
    /// The wrapped key does not fit the class key and the binding: altered, or made under a key that is gone.
    case damaged = 3
    /// The context's evidence does not fulfil the conditions of the binding; ``ContextRequest/assess(_:_:)`` says what
    /// is missing.
    case authenticationNeeded = 4
    /// The conditions can never be fulfilled again: the enrolment set of the binding is gone.
    case invalidated = 5
    case wrongApplicationPassword = 6
    /// The key was deleted: it never opens again.
    case deleted = 7
}

/// Why the enclave did not do what was asked of the device.
package enum EnclaveRefusal: Error, Sendable, Equatable {
    case wrongPasscode(attemptsLeft: Int)
    /// The same wrong passcode as before; it was not counted again.
    case sameWrongPasscode
    case delayed(seconds: Double)
    /// Ten failures: only erasing helps.
    case disabled
    /// The tenth failure erased the device, as its option says.
    case erased
    case passcodeNeeded
    case passcodeAlreadySet
    case noPasscodeSet
    case badPasscode(reason: String)
    /// The state on disk cannot be written or read; `reason` says which file and why.
    case storage(reason: String)
    case malformed(reason: String)
}

package enum KeyOutcome: Sendable {
    case key(SecretBox)
    case refused(KeyRefusal)
}

/// A fresh key and what the enclave will open again.
package struct CreatedKey: Sendable {
    package let key: SecretBox
    package let wrapped: [UInt8]

    package init(key: SecretBox, wrapped: [UInt8]) {
        self.key = key
        self.wrapped = wrapped
    }
}

package enum EnclaveReply: Sendable {
    case done
    case status(EnclaveStatus)
    case created(key: SecretBox, wrapped: [UInt8])
    case createdKeys([CreatedKey])
    case createRefused(KeyRefusal)
    case keys([KeyOutcome])
    case changed(epoch: UInt64)
    case passcodeCost(secondsPerTry: Double)
    case context(ContextReply)
    case biometry(BiometryReply)
    case key(EnclaveKeyReply)
    case refused(EnclaveRefusal)
}

/// An enclave to talk to: an object in this process, or the process behind a socket.
package protocol EnclaveMailbox: Sendable {
    func perform(_ request: EnclaveRequest) -> EnclaveReply

    /// The key epoch as known without asking over a socket; caches of an older epoch must be dropped.
    var keyEpoch: UInt64 { get }
}

/// Wall and monotonic time of a device. A virtual device has its own.
package protocol DeviceClock: Sendable {
    func wallTime() -> WallTime
    func uptime() -> Uptime
}
