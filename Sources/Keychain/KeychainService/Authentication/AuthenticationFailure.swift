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

    init(_ error: AuthenticationError, _ rule: Rule, _ reason: String, advice: String) {
        self.error = error
        refusal = Refusal(rule: rule, reason: reason, advice: advice)
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
    static let userCancelled = AuthenticationFailure(
        .userCancel, .userCancelled, "The user cancelled.", advice: "Ask again when the user wants it.")

    static let userFallback = AuthenticationFailure(
        .userFallback, .userFallback, "The user chose another way than biometry, and this policy has none.",
        advice: "Offer a way of the program's own, or evaluate deviceOwnerAuthentication.")

    static func authenticationFailed(_ what: String) -> AuthenticationFailure {
        AuthenticationFailure(
            .authenticationFailed, .authenticationFailed, what, advice: "Ask again, or offer another way.")
    }

    static let timedOut = AuthenticationFailure(
        .systemCancel, .promptTimedOut, "The prompt was not answered in time.", advice: "Ask again.")

    static func promptFailed(_ reason: String) -> AuthenticationFailure {
        AuthenticationFailure(
            .systemCancel, .promptFailed, "The prompt could not be shown: \(reason)",
            advice: "Look at what the authentication agent says (latchkey agent).")
    }

    static let appCancelled = AuthenticationFailure(
        .appCancel, .appCancelled, "The program ended its authentication context while a prompt was shown.",
        advice: "Nothing to do, if that was meant.")

    static let contextEnded = AuthenticationFailure(.invalidContext, EndedSession.refusal)

    static let tooManyContexts = AuthenticationFailure(
        .systemCancel, .tooManyContexts, "As many authentication contexts are open as the enclave keeps.",
        advice: "Let programs end contexts that they do not need any more (invalidate).")

    static let notInteractive = AuthenticationFailure(
        .notInteractive, .interactionNotAllowed,
        "The user would have to be asked, and the program does not allow it.",
        advice: "Leave out kSecUseAuthenticationUIFail, or set interactionNotAllowed to false.")

    /// - Parameter level: the level that an agent needs to show the prompt; C if every agent may.
    static func noAgent(ofLevel level: AssuranceLevel) -> AuthenticationFailure {
        guard level > .c else {
            return AuthenticationFailure(
                .notInteractive, .noAuthenticationAgent,
                "The user would have to be asked, and no agent is there to do it.",
                advice: "Start one in the user's session: latchkey agent.")
        }
        return AuthenticationFailure(
            .notInteractive, .agentLevelTooLow,
            "The user would have to be asked by an agent of assurance level \(level.rawValue), and none is there.",
            advice: "Install an agent of that level and start it in the user's session: Docs/Manual/"
                + "Authentication.md says how.")
    }

    /// Returns the failure for a program that gets no groups: it may not have the user prompted either.
    static func refusedProgram(_ refusal: Refusal) -> AuthenticationFailure {
        AuthenticationFailure(.notInteractive, refusal)
    }

    static let tooManyRounds = AuthenticationFailure(
        .authenticationFailed, .authenticationRounds, "The user was asked 20 times for one call.",
        advice: "Ask again later.")

    static let wrongApplicationPassword = AuthenticationFailure(
        .authenticationFailed, .wrongApplicationPassword, "The application password of the item is another one.",
        advice: "Set the password that the item was added with (LAContext.setCredential).")

    static func passcode(_ refusal: EnclaveRefusal) -> AuthenticationFailure {
        switch refusal {
        case .noPasscodeSet: return AuthenticationFailure(.passcodeNotSet)
        default:
            var failure = AuthenticationFailure(
                .authenticationFailed, .passcodeRefused, PasscodeWords.reason(refusal),
                advice: PasscodeWords.advice(refusal))
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
        let (error, reason, advice) = rule.words
        self.init(error, Rule(rule), reason, advice: advice)
    }
}

extension VerdictRule {
    fileprivate var words: (error: AuthenticationError, reason: String, advice: String) {
        switch self {
        case .classKeyLocked:
            (.authenticationFailed, "The protection class is locked.", "Unlock the device (latchkey unlock).")
        case .classKeyMissing:
            (
                .authenticationFailed, "The key of the protection class does not exist while no passcode is set.",
                "Set a passcode (latchkey passcode set)."
            )
        case .operationNotGranted:
            (
                .authenticationFailed, "The access control does not grant this operation at all.",
                "Make the item anew with an access control for what is done with it."
            )
        case .passcodeNotSet:
            (
                .passcodeNotSet, "The device has no passcode, and neither passcode nor biometry counts without one.",
                "Set a passcode (latchkey passcode set)."
            )
        case .biometryNotAvailable:
            (
                .biometryNotAvailable, "There is no fingerprint reader that can be used.",
                "latchkey finger list says whether a reader is missing, fprintd is, or another program has claimed the reader."
            )
        case .biometryNotEnrolled:
            (.biometryNotEnrolled, "No finger is enrolled.", "Enrol one: latchkey finger enroll right-index-finger.")
        case .biometryLockedOut:
            (
                .biometryLockout, "Biometry counts again only after the passcode was given.",
                "Give the passcode: latchkey unlock, or evaluate deviceOwnerAuthentication."
            )
        case .biometryDisconnected:
            (.biometryDisconnected, "The fingerprint reader is gone.", "Plug it in again.")
        case .biometryNotPaired:
            (.biometryNotPaired, "The fingerprint reader is not paired with this machine.", "Pair it.")
        case .companionNotAvailable:
            (
                .companionNotAvailable, "There is no companion device that could prove anything.",
                "Use an access control or a policy with biometry or passcode."
            )
        case .enrolmentChanged:
            (
                .authenticationFailed, "The fingers that the item was for are not those that are enrolled now.",
                "Make the item anew after a full login."
            )
        }
    }
}
