/// The result of an evaluation.
package enum Verdict: Sendable, Hashable {
    case granted
    /// Any of these brings it further; the evaluation is then repeated.
    case needs(EvidenceKinds)
    case refused(VerdictRule)
}

/// The reason why no evidence of a user helps. The raw values are names of rules in `Docs/RefusalRules.md`.
package enum VerdictRule: String, Sendable, Hashable, CaseIterable {
    case classKeyLocked = "class-key-locked"
    case classKeyMissing = "class-key-missing"
    /// The access control does not grant the operation at all.
    case operationNotGranted = "operation-not-granted"
    case passcodeNotSet = "passcode-not-set"
    case biometryNotAvailable = "biometry-not-available"
    case biometryNotEnrolled = "biometry-not-enrolled"
    /// Five misses, a restart, or too long without the passcode: the passcode comes first.
    case biometryLockedOut = "biometry-locked-out"
    case biometryDisconnected = "biometry-disconnected"
    case biometryNotPaired = "biometry-not-paired"
    case companionNotAvailable = "companion-not-available"
    /// The enrolment set that the item is bound to is gone for good.
    case enrolmentChanged = "enrolment-changed"
}

/// The requirements of a program for the user, without an item: the policies of LocalAuthentication, by their numbers.
package enum AuthenticationPolicy: UInt8, Sendable, Hashable, CaseIterable {
    case biometry = 1
    /// Biometry, or the passcode where there is none or it fails.
    case deviceOwner = 2
    case companion = 3
    case biometryOrCompanion = 4
    case wristDetection = 5
}
