import LatchkeyEnclaveCore

extension DeviceRequest {
    /// The enclave's form of this request; the status where the enclave has no part in it.
    var enclaveRequest: EnclaveRequest {
        switch self {
        case .status, .refusals, .trustTeam, .revokeTeam, .teams, .applications, .forgetApplication,
            .configureApplications, .requireLevel, .ownersTool, .adopt, .revokeTools, .endings, .endedItems:
            .status
        case .passcodeCost: .passcodeCost
        case .setPasscode(let new): .setPasscode(new: new)
        case .changePasscode(let current, let new): .changePasscode(current: current, new: new)
        case .removePasscode(let current): .removePasscode(current: current)
        case .unlock(let passcode): .unlock(passcode: passcode)
        case .lock(let immediately): .lock(immediately: immediately)
        case .erase(let passcode): .erase(passcode: passcode)
        case .configure(let passcode, let erase, let grace, let lockAfter):
            .configure(
                passcode: passcode, eraseAfterTenFailures: erase, gracePeriodSeconds: grace,
                lockAfterSeconds: lockAfter)
        case .biometry(let request): .biometry(request)
        }
    }

    /// Nil for what only the keychain service may ask the enclave.
    init?(_ request: EnclaveRequest) {
        switch request {
        case .status: self = .status
        case .setPasscode(let new): self = .setPasscode(new: new)
        case .changePasscode(let current, let new): self = .changePasscode(current: current, new: new)
        case .removePasscode(let current): self = .removePasscode(current: current)
        case .unlock(let passcode): self = .unlock(passcode: passcode)
        case .lock(let immediately): self = .lock(immediately: immediately)
        case .erase(let passcode): self = .erase(passcode: passcode)
        case .configure(let passcode, let erase, let grace, let lockAfter):
            self = .configure(
                passcode: passcode, eraseAfterTenFailures: erase, gracePeriodSeconds: grace,
                lockAfterSeconds: lockAfter)
        case .passcodeCost: self = .passcodeCost
        case .biometry(let request): self = .biometry(request)
        case .verifyPasscode, .createKey, .createKeys, .unwrapKeys, .waitForChange, .context, .key: return nil
        }
    }
}
