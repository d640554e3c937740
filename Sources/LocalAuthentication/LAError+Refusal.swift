import LatchkeyKeychainMessages

extension LAError {
    /// The error for a failure that the keychain reported, with its words.
    init(_ error: AuthenticationError, _ refusal: Refusal) {
        self.init(
            Code(rawValue: Int(error.rawValue)) ?? .authenticationFailed,
            userInfo: [
                NSLocalizedDescriptionKey: refusal.reason, NSLocalizedRecoverySuggestionErrorKey: refusal.advice,
                "NSDebugDescription": refusal.rule,
            ])
    }

    /// For a program that gives no reason: nobody may be asked without one.
    static var missingReason: LAError {
        LAError(
            .authenticationFailed,
            userInfo: [
                NSLocalizedDescriptionKey: "Nobody was asked: the program gave an empty localizedReason.",
                NSLocalizedRecoverySuggestionErrorKey: "Say in localizedReason what the person is asked for.",
            ])
    }
}
