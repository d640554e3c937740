import LatchkeyAccessControl
import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The reason why an authentication failed: the number for `LAError`, and the rule for people.
struct AuthenticationFailure: Error, Sendable {
    let error: AuthenticationError
    let refusal: Refusal
    /// True if the failed try was the tenth, and the device was erased because its option says so.
    private(set) var hasErasedDevice = false

    init(_ error: AuthenticationError, _ rule: Rule, _ values: any CustomStringConvertible...) {
        self.init(error, Refusal(filled: rule.text.filled(with: values)))
    }

    /// The failure of an item call (Reference 4).
    var callFailure: CallFailure {
        switch error {
        case .userCancel: CallFailure(.userCanceled, refusal)
        case .notInteractive: CallFailure(.interactionNotAllowed, refusal)
        default: CallFailure(.authFailed, refusal)
        }
    }
}

extension AuthenticationFailure {
    static let userCancelled = AuthenticationFailure(.userCancel, .userCancelled)

    static let userFallback = AuthenticationFailure(.userFallback, .userFallback)

    static func authenticationFailed(_ what: String) -> AuthenticationFailure {
        AuthenticationFailure(.authenticationFailed, .authenticationFailed, what)
    }

    static let timedOut = AuthenticationFailure(.systemCancel, .promptTimedOut)

    static func promptFailed(_ reason: String) -> AuthenticationFailure {
        AuthenticationFailure(.systemCancel, .promptFailed, reason)
    }

    static let appCancelled = AuthenticationFailure(.appCancel, .appCancelled)

    static let contextEnded = AuthenticationFailure(.invalidContext, EndedSession.refusal)

    static let tooManyContexts = AuthenticationFailure(.systemCancel, .tooManyContexts)

    static let notInteractive = AuthenticationFailure(.notInteractive, .interactionNotAllowed)

    /// - Parameter level: the level that an agent needs to show the prompt; C if every agent may.
    static func noAgent(ofLevel level: AssuranceLevel) -> AuthenticationFailure {
        guard level > .c else {
            return AuthenticationFailure(.notInteractive, .noAuthenticationAgent)
        }
        return AuthenticationFailure(.notInteractive, .agentLevelTooLow, level.rawValue)
    }

    /// Returns the failure for a program that gets no groups: it may not have the user prompted either.
    static func refusedProgram(_ refusal: Refusal) -> AuthenticationFailure {
        AuthenticationFailure(.notInteractive, refusal)
    }

    static let tooManyRounds = AuthenticationFailure(.authenticationFailed, .authenticationRounds)

    static let wrongApplicationPassword = AuthenticationFailure(.authenticationFailed, .wrongApplicationPassword)

    static func passcode(_ refusal: EnclaveRefusal) -> AuthenticationFailure {
        switch refusal {
        case .noPasscodeSet: return AuthenticationFailure(.passcodeNotSet)
        default:
            var failure = AuthenticationFailure(
                .authenticationFailed, .passcodeRefused, PasscodeWords.reason(refusal), PasscodeWords.advice(refusal))
            failure.hasErasedDevice = refusal == .erased
            return failure
        }
    }

    init(_ error: AuthenticationError, _ refusal: Refusal) {
        self.error = error
        self.refusal = refusal
    }

    /// Creates the failure for a rule that the user cannot satisfy now.
    init(_ rule: VerdictRule) {
        self.init(rule.authenticationError, Refusal(filled: rule.evaluationText))
    }
}

extension VerdictRule {
    fileprivate var authenticationError: AuthenticationError {
        switch self {
        case .classKeyLocked, .classKeyMissing, .operationNotGranted, .enrolmentChanged: .authenticationFailed
        case .passcodeNotSet: .passcodeNotSet
        case .biometryNotAvailable: .biometryNotAvailable
        case .biometryNotEnrolled: .biometryNotEnrolled
        case .biometryLockedOut: .biometryLockout
        case .biometryDisconnected: .biometryDisconnected
        case .biometryNotPaired: .biometryNotPaired
        case .companionNotAvailable: .companionNotAvailable
        }
    }

    /// The text of the rule; an evaluation does not say which class it is about.
    fileprivate var evaluationText: RuleText {
        switch self {
        case .classKeyLocked: Rule.Occasion.evaluationClassLocked.text
        case .classKeyMissing: Rule.Occasion.evaluationClassMissing.text
        default: Rule(self).text
        }
    }
}
