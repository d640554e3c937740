import LatchkeyItemModel
package import LatchkeyKeychainMessages

extension LAError {
    /// Makes the error for a failure that the keychain reported, with its texts.
    init(_ refusal: AuthenticationRefusal) {
        self.init(Code(rawValue: Int(refusal.error.rawValue)) ?? .authenticationFailed, refusal.refusal)
    }

    /// Makes an error with the reason, the advice and the rule of a refusal.
    package init(_ code: Code, _ refusal: Refusal) {
        self.init(
            code,
            userInfo: [
                NSLocalizedDescriptionKey: refusal.reason, NSLocalizedFailureReasonErrorKey: refusal.reason,
                NSLocalizedRecoverySuggestionErrorKey: refusal.advice, "NSDebugDescription": refusal.ruleName,
            ])
    }

    private static let missingReasonText = "The user was not asked: the program gave an empty localizedReason."

    /// The error for a program that gives no reason: a prompt needs one.
    static var missingReason: LAError {
        LAError(
            .authenticationFailed,
            userInfo: [
                NSLocalizedDescriptionKey: missingReasonText, NSLocalizedFailureReasonErrorKey: missingReasonText,
                NSLocalizedRecoverySuggestionErrorKey: "Give the reason for the prompt in localizedReason.",
            ])
    }
}
