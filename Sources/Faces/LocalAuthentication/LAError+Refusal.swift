package import LatchkeyKeychainMessages

extension LAError {
    /// The error for a failure that the keychain reported, with its words.
    init(_ error: AuthenticationError, _ refusal: Refusal) {
        self.init(Code(rawValue: Int(error.rawValue)) ?? .authenticationFailed, refusal)
    }

    /// An error with the reason, the advice and the rule of a refusal.
    package init(_ code: Code, _ refusal: Refusal) {
        self.init(
            code,
            userInfo: [
                NSLocalizedDescriptionKey: refusal.reason, NSLocalizedFailureReasonErrorKey: refusal.reason,
                NSLocalizedRecoverySuggestionErrorKey: refusal.advice, "NSDebugDescription": refusal.rule,
            ])
    }

    private static let missingReasonText = "The user was not asked: the program gave an empty localizedReason."

    /// For a program that gives no reason: the user may not be asked without one.
    static var missingReason: LAError {
        LAError(
            .authenticationFailed,
            userInfo: [
                NSLocalizedDescriptionKey: missingReasonText, NSLocalizedFailureReasonErrorKey: missingReasonText,
                NSLocalizedRecoverySuggestionErrorKey: "Say in localizedReason what the user is asked for.",
            ])
    }

    /// For an answer about something else than was asked.
    static var nonsense: LAError {
        LAError(
            Code.authenticationFailed,
            Refusal(
                rule: "daemon-answer-malformed", reason: "The keychain's answer makes no sense.",
                advice: "Use library and daemon of the same version."))
    }
}
