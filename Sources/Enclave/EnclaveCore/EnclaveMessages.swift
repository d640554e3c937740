package import LatchkeyKeybag
package import LatchkeySecretMemory

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
    case biometry(FingerRequest)
    case key(EnclaveKeyRequest)
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
    case biometry(FingerReply)
    case key(EnclaveKeyReply)
    case refused(EnclaveRefusal)
}
