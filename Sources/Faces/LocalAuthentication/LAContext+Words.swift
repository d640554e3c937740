import LatchkeyAccessControl
import LatchkeyEnclaveContract
package import LatchkeyKeychainMessages

extension LAContext: AuthenticationContextObject {
    package var authenticationSession: any AuthenticationSession { conversation }

    package var interaction: Interaction { interaction(reason: localizedReason) }

    /// Returns the texts and limits of a prompt from the properties at this time; those of a subclass count.
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
    /// A reader counts even while it cannot be used.
    init(_ survey: SensorSurvey) {
        self = survey.obstacle?.isAbsence == true ? .none : .touchID
    }
}

extension LAAccessControlOperation {
    /// Returns the guarded operation for something that `rules` protect.
    func guarded(by rules: AccessControl) -> GuardedOperation {
        switch self {
        case .createItem: .encrypt
        case .useItem: .decrypt
        // Access controls of private keys have no right to make one: an operation without conditions stands in.
        case .createKey: rules.isForPrivateKeys ? .attest : .encrypt
        case .useKeySign: .sign
        // Decryption with a private key begins with a key agreement.
        case .useKeyDecrypt, .useKeyKeyExchange: .agreeOnKey
        }
    }
}
