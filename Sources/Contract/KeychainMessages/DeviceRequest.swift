package import LatchkeyEnclaveCore
package import LatchkeyItemModel
package import LatchkeySecretMemory

/// What the owner asks of the device itself.
package enum DeviceRequest: Sendable {
    case setPasscode(new: SecretBox)
    case changePasscode(current: SecretBox, new: SecretBox)
    case removePasscode(current: SecretBox)
    case unlock(passcode: SecretBox)
    case lock(immediately: Bool)
    case erase(passcode: SecretBox?)
    case configure(
        passcode: SecretBox?, eraseAfterTenFailures: Bool?, gracePeriodSeconds: Double?,
        lockAfterSeconds: Double? = nil)
    /// The cost of one try of a new passcode on this machine.
    case passcodeCost
    /// What the owner does with fingers, and the remote lock.
    case biometry(BiometryRequest)
}

package enum DeviceReply: Sendable {
    case done
    case refused(EnclaveRefusal)
    case biometry(BiometryReply)
    case passcodeCost(secondsPerTry: Double)
    /// Refused by a rule of the keychain's own.
    case declined(ResultCode, Refusal)
    /// The daemon gave no answer; made by the caller's side, never sent.
    case unreachable(Refusal)
}
