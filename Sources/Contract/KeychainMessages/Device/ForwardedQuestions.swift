package import LatchkeyEnclaveContract

/// The questions to the enclave that the owner may ask.
package enum ForwardedQuestions {
    package static let all: [any ForwardedQuestion.Type] = [
        SetPasscode.self, ChangePasscode.self, RemovePasscode.self, UnlockDevice.self, LockDevice.self,
        EraseDevice.self, ConfigureDevice.self, MeasurePasscodeCost.self, AskRevision.self, AskBiometry.self,
        BeginEnrolment.self,
        ContinueEnrolment.self, CancelEnrolment.self, RemoveFinger.self, UnlockWithFinger.self, CancelUnlock.self,
        LockRemotely.self,
    ]
}

extension SetPasscode: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [
        .ownersAlone, .changesDevice, .audited, .startsTimes, .setsPasscode,
    ]
    package static let auditedName = "set-passcode"
}

// If a question always requires the passcode, the enclave itself refuses it without one.

extension ChangePasscode: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [.dependsOnPasscode, .changesDevice, .audited, .endsEscrows]
    package static let auditedName = "change-passcode"
}

extension RemovePasscode: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [
        .dependsOnPasscode, .changesDevice, .audited, .removesPasscode, .endsEscrows,
    ]
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
    package static let keychainTraits: KeychainTraits = [.ownersAlone, .changesDevice, .audited, .erases]
    package static let auditedName = "erase"
}

extension ConfigureDevice: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [.ownersAlone, .changesDevice, .audited, .startsTimes]
    package static let auditedName = "configure"
}

extension MeasurePasscodeCost: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = .repeatable
}

extension AskRevision: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = .repeatable
}

extension AskBiometry: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = []
}

extension BeginEnrolment: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [.changesDevice, .audited]
    package static let auditedName = "enrol-finger"
    package static let fingerChange = FingerChange.begins
}

// An enrolment is recorded when it begins; its steps are not recorded again.

extension ContinueEnrolment: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = .changesDevice
    package static let fingerChange = FingerChange.ends

    package static func changesFingers(_ event: EnrolmentEvent) -> Bool { event == .completed }
}

extension CancelEnrolment: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = .changesDevice
}

extension RemoveFinger: ForwardedQuestion {
    package static let keychainTraits: KeychainTraits = [.changesDevice, .audited]
    package static let auditedName = "remove-finger"
    package static let fingerChange = FingerChange.beginsAndEnds

    package static func changesFingers(_ removal: FingerRemoval) -> Bool { removal == .removed }
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
