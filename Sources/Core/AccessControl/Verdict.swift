/// The result of an evaluation.
package enum Verdict: Sendable, Hashable {
    case granted
    /// Any of these brings it further; the evaluation is then repeated.
    case needs(AuthenticationFactors)
    case refused(VerdictRule)
}

/// The reason why no evidence of a user helps. Each is a rule of `Docs/RefusalRules.md`.
package enum VerdictRule: Sendable, Hashable, CaseIterable {
    case classKeyLocked
    case classKeyMissing
    /// The access control does not grant the operation at all.
    case operationNotGranted
    case passcodeNotSet
    case biometryNotAvailable
    case biometryNotEnrolled
    /// Five misses, a restart, or too long without the passcode: the passcode comes first.
    case biometryLockedOut
    case biometryDisconnected
    case biometryNotPaired
    case companionNotAvailable
    /// The enrolment set that the item is bound to is gone for good.
    case enrolmentChanged
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
