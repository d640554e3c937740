import LatchkeyEnclaveCore

extension DeviceRequest {
    /// The enclave's form of this request.
    var enclaveQuestion: any EnclaveQuestion {
        switch self {
        case .passcodeCost: MeasurePasscodeCost()
        case .setPasscode(let new): SetPasscode(new)
        case .changePasscode(let current, let new): ChangePasscode(from: current, to: new)
        case .removePasscode(let current): RemovePasscode(current)
        case .unlock(let passcode): UnlockDevice(passcode)
        case .lock(let immediately): LockDevice(immediately: immediately)
        case .erase(let passcode): EraseDevice(passcode: passcode)
        case .configure(let passcode, let erase, let grace, let lockAfter):
            ConfigureDevice(
                passcode: passcode, eraseAfterTenFailures: erase, gracePeriodSeconds: grace,
                lockAfterSeconds: lockAfter)
        case .biometry(let request): request.enclaveQuestion
        }
    }

    /// Nil for what only the keychain service may ask the enclave.
    init?(_ question: any EnclaveQuestion) {
        switch question {
        case let question as SetPasscode: self = .setPasscode(new: question.passcode)
        case let question as ChangePasscode: self = .changePasscode(current: question.current, new: question.new)
        case let question as RemovePasscode: self = .removePasscode(current: question.passcode)
        case let question as UnlockDevice: self = .unlock(passcode: question.passcode)
        case let question as LockDevice: self = .lock(immediately: question.immediately)
        case let question as EraseDevice: self = .erase(passcode: question.passcode)
        case let question as ConfigureDevice:
            self = .configure(
                passcode: question.passcode, eraseAfterTenFailures: question.eraseAfterTenFailures,
                gracePeriodSeconds: question.gracePeriodSeconds, lockAfterSeconds: question.lockAfterSeconds)
        case is MeasurePasscodeCost: self = .passcodeCost
        default:
            guard let request = BiometryRequest(question) else { return nil }
            self = .biometry(request)
        }
    }
}
