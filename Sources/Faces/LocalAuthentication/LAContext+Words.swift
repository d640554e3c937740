import LatchkeyAccessControl
import LatchkeyEnclaveCore
package import LatchkeyKeychainMessages

extension LAContext: AuthenticationContextObject {
    package var authenticationSession: any AuthenticationSession { conversation }

    package var interaction: Interaction { interaction(reason: localizedReason) }

    /// How a person is to be asked, by what the properties are now; those of a subclass count.
    func interaction(reason: String) -> Interaction {
        let reuseSeconds = touchIDAuthenticationAllowableReuseDuration
        let cancelTitle = localizedCancelTitle
        return Interaction(
            isAllowed: !interactionNotAllowed, reason: reason,
            cancelTitle: cancelTitle == "" ? nil : cancelTitle, fallbackTitle: localizedFallbackTitle,
            reuseSeconds: reuseSeconds > 0
                ? min(reuseSeconds, LATouchIDAuthenticationMaximumAllowableReuseDuration) : 0)
    }
}

extension LABiometryType {
    /// A reader counts also while it cannot be used.
    init(_ survey: SensorSurvey) {
        self = survey.obstacle?.isAbsence == true ? .none : .touchID
    }
}

extension LAAccessControlOperation {
    /// What the operation does to something that `rules` guard.
    func guarded(by rules: AccessControl) -> GuardedOperation {
        switch self {
        case .createItem: .encrypt
        case .useItem: .decrypt
        // Access controls of private keys name no right to make one: what asks for nothing stands in.
        case .createKey: rules.isForPrivateKeys ? .attest : .encrypt
        case .useKeySign: .sign
        // Decryption with a private key begins with a key agreement.
        case .useKeyDecrypt, .useKeyKeyExchange: .agreeOnKey
        }
    }
}
