package import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyDevice
package import LatchkeyItemModel
package import LatchkeyKeychainMessages

/// The failure of a call about keys, as the program reads it in its error.
package struct KeyCallFailure: Error {
    package let code: OSStatus
    package let reason: String
    /// The refusal of the keychain, if it was the keychain.
    package let refusal: Refusal?

    package init(_ code: OSStatus, _ reason: String, refusal: Refusal? = nil) {
        self.code = code
        self.reason = reason
        self.refusal = refusal
    }

    /// With the rule that a refusal has everywhere, for what is noticed here.
    package init(_ code: OSStatus, _ refusal: Refusal) {
        self.init(code, refusal.reason, refusal: refusal)
    }

    package init(_ code: ResultCode, _ refusal: Refusal?) {
        self.init(
            code.rawValue, refusal?.reason ?? "The keychain did not do it; it gave no reason.", refusal: refusal)
    }

    package init(_ refusal: EnclaveKeyRefusal) {
        self.init(refusal.code, refusal.refusal)
    }

    init(_ failure: DeviceFailure) {
        self.init(errSecNotAvailable, failure.description)
    }

    init(_ failure: KeyFailure) {
        let reason =
            switch failure {
            case .unreadable(let reason): reason
            case .unsupported(let what): "Such keys are not supported: \(what)."
            case .passphraseNeeded: "The key is encrypted, and there is no passphrase."
            case .wrongPassphrase: "The key does not open: the passphrase is wrong, or the key is damaged."
            }
        self.init(errSecParam, reason)
    }

    init(_ failure: KeyOperationFailure, refusal: Refusal? = nil) {
        switch failure {
        case .unsupported: self.init(errSecParam, "The key cannot do this with this algorithm.")
        case .badInput(let reason): self.init(errSecParam, reason)
        case .notDecryptable:
            self.init(errSecParam, "It does not decrypt: another key or algorithm, or altered bytes.")
        case .notSigned: self.init(errSecVerifyFailed, "The signature is not of this key over these bytes.")
        case .refused(let status, let reason): self.init(status, reason, refusal: refusal)
        }
    }

    /// With the rule that queries are refused by.
    package static let illFormedText = KeyCallFailure(
        errSecParam,
        Refusal(.textNotWellFormed))

    /// The enclave or the keychain answered something else than it was asked.
    static let nonsense = KeyCallFailure(
        errSecInternalComponent,
        Refusal(as: .answerMakesNoSense))

    /// The object for the program: reason, and where a rule refused, its advice and its name.
    package var error: NSError {
        guard let refusal else { return .status(code, reason: reason) }
        return NSError(
            domain: NSOSStatusErrorDomain, code: Int(code),
            userInfo: [
                NSLocalizedDescriptionKey: ResultMessage.text(of: code), NSLocalizedFailureReasonErrorKey: reason,
                NSLocalizedRecoverySuggestionErrorKey: refusal.advice, "NSDebugDescription": refusal.ruleName,
            ])
    }
}

/// Runs `body`; puts the error of its failure where the program asked for it, for the program to release.
func orError<R>(
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?, _ body: () throws(KeyCallFailure) -> R
) -> R? {
    do throws(KeyCallFailure) {
        return try body()
    } catch let failure {
        unsafe error?.pointee = unsafe Unmanaged.passRetained(failure.error)
        return nil
    }
}
