package import LatchkeyEnclaveContract

/// The questions to the enclave that the owner may ask.
package enum ForwardedQuestions {
    package static let all: [any ForwardedQuestion.Type] = [
        SetPasscode.self, ChangePasscode.self, RemovePasscode.self, UnlockDevice.self, LockDevice.self,
        EraseDevice.self, ConfigureDevice.self, MeasurePasscodeCost.self, AskBiometry.self, BeginEnrolment.self,
        ContinueEnrolment.self, CancelEnrolment.self, RemoveFinger.self, UnlockWithFinger.self, CancelUnlock.self,
        LockRemotely.self,
    ]
}

extension SetPasscode: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [.ownersAlone, .changesDevice, .audited, .startsTimes]
    package static let auditedName = "set-passcode"
}

// If a question always requires the passcode, the enclave itself refuses it without one.

extension ChangePasscode: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [.dependsOnPasscode, .changesDevice, .audited]
    package static let auditedName = "change-passcode"
}

extension RemovePasscode: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [.dependsOnPasscode, .changesDevice, .audited]
    package static let auditedName = "remove-passcode"
}

extension UnlockDevice: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [.audited, .startsTimes]
    package static let auditedName = "unlock"
}

extension LockDevice: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [.repeatable, .audited, .startsTimes]
    package static let auditedName = "lock"
}

extension EraseDevice: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [.ownersAlone, .changesDevice, .audited]
    package static let auditedName = "erase"
}

extension ConfigureDevice: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [.ownersAlone, .changesDevice, .audited, .startsTimes]
    package static let auditedName = "configure"
}

extension MeasurePasscodeCost: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = .repeatable
}

extension AskBiometry: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = []
}

extension BeginEnrolment: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [.changesDevice, .audited]
    package static let auditedName = "enrol-finger"
}

// An enrolment is recorded when it begins; its steps are not recorded again.

extension ContinueEnrolment: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = .changesDevice
}

extension CancelEnrolment: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = .changesDevice
}

extension RemoveFinger: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [.changesDevice, .audited]
    package static let auditedName = "remove-finger"
}

extension UnlockWithFinger: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [.changesDevice, .audited, .startsTimes]
    package static let auditedName = "unlock-with-finger"
}

extension CancelUnlock: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = .changesDevice
}

extension LockRemotely: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [.changesDevice, .audited, .startsTimes]
    package static let auditedName = "lock-remotely"
}
