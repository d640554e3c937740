package import LatchkeyAccessControl
package import LatchkeyKeybag
package import LatchkeySecretMemory

/// The device and its passcode. Each call documents its ``EnclaveRequest``.
extension EnclaveInquiry where Answer == Void {
    package static func setPasscode(_ new: SecretBox) -> Self { done(.setPasscode(new: new)) }

    package static func changePasscode(from current: SecretBox, to new: SecretBox) -> Self {
        done(.changePasscode(current: current, new: new))
    }

    package static func removePasscode(_ current: SecretBox) -> Self { done(.removePasscode(current: current)) }
    package static func unlock(_ passcode: SecretBox) -> Self { done(.unlock(passcode: passcode)) }
    package static func verifyPasscode(_ passcode: SecretBox) -> Self { done(.verifyPasscode(passcode)) }
    package static func lock(immediately: Bool) -> Self { done(.lock(immediately: immediately)) }
    package static func erase(passcode: SecretBox?) -> Self { done(.erase(passcode: passcode)) }

    package static func configure(
        passcode: SecretBox?, eraseAfterTenFailures: Bool?, gracePeriodSeconds: Double?, lockAfterSeconds: Double?
    ) -> Self {
        done(
            .configure(
                passcode: passcode, eraseAfterTenFailures: eraseAfterTenFailures,
                gracePeriodSeconds: gracePeriodSeconds, lockAfterSeconds: lockAfterSeconds))
    }

    private static func done(_ request: EnclaveRequest) -> Self {
        Self(request) { if case .done = $0 { () } else { nil } }
    }
}

extension EnclaveInquiry where Answer == EnclaveStatus {
    package static var status: Self {
        Self(.status) { if case .status(let status) = $0 { status } else { nil } }
    }
}

extension EnclaveInquiry where Answer == Double {
    /// Seconds that one try of a new passcode takes on this machine.
    package static var passcodeCost: Self {
        Self(.passcodeCost) { if case .passcodeCost(let seconds) = $0 { seconds } else { nil } }
    }
}

extension EnclaveInquiry where Answer == UInt64 {
    /// The key epoch, when it is another one than `epoch` or some seconds have gone by.
    package static func keyEpoch(after epoch: UInt64) -> Self {
        Self(.waitForChange(epoch: epoch)) { if case .changed(let epoch) = $0 { epoch } else { nil } }
    }
}

/// Keys that the enclave makes and opens, and that others use.
extension EnclaveInquiry where Answer == Result<CreatedKey, KeyRefusal> {
    package static func createKey(_ keyClass: KeyClass, _ use: KeyUse) -> Self {
        Self(.createKey(keyClass: keyClass, use: use, binding: [])) { reply in
            switch reply {
            case .created(let key, let wrapped): .success(CreatedKey(key: key, wrapped: wrapped))
            case .createRefused(let refusal): .failure(refusal)
            default: nil
            }
        }
    }
}

extension EnclaveInquiry where Answer == Result<[CreatedKey], KeyRefusal> {
    /// As many item keys as asked for, under an access control.
    package static func createItemKeys(
        _ keyClass: KeyClass, under accessControl: AccessControl, count: Int, context: ContextIdentifier? = nil
    ) -> Self {
        let request = EnclaveRequest.createKeys(
            keyClass: keyClass, use: .item, binding: accessControl.serialised, count: count, context: context)
        return Self(request) { reply in
            switch reply {
            case .createdKeys(let keys) where keys.count == count: .success(keys)
            case .createRefused(let refusal): .failure(refusal)
            default: nil
            }
        }
    }
}

extension EnclaveInquiry where Answer == [KeyOutcome] {
    /// One outcome for each key.
    package static func unwrap(_ keys: [WrappedKey], context: ContextIdentifier? = nil) -> Self {
        Self(.unwrapKeys(keys, context: context)) { reply in
            if case .keys(let outcomes) = reply, outcomes.count == keys.count { outcomes } else { nil }
        }
    }
}
