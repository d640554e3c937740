import Foundation
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LocalAuthentication
import Security

/// The errors that a program gets when the enclave refuses.
enum EnclaveRefusal {
    /// Returns an ``LAError`` if a person did not fulfil the key's conditions; else an error with the result code that
    /// calls of Security have for it.
    static func error(of refused: EnclaveKeyRefusal) -> any Error {
        guard let number = authenticationCode(refused.code, refused.refusal) else {
            return KeyCallFailure(refused).error
        }
        guard let refusal = refused.refusal else { return LAError(number) }
        return LAError(number, refusal)
    }

    /// Returns the error for a key of another kind than the program's type.
    static func anotherKind(than kind: EnclaveKeyKind) -> NSError {
        KeyCallFailure(
            errSecParam,
            Refusal(as: .restoredAsOtherKind, kind.name)
        ).error
    }

    /// Returns nil for a refusal that is not about a person's proof.
    private static func authenticationCode(_ code: ResultCode, _ refusal: Refusal?) -> LAError.Code? {
        if let code = refusal?.rule.flatMap({ codesOfRules[$0] }) { return code }
        return switch code {
        case .userCanceled: .userCancel
        case .authFailed: .authenticationFailed
        default: nil
        }
    }

    /// The rules about a missing proof, with the numbers that an evaluation gives for them.
    private static let codesOfRules: [Rule: LAError.Code] = [
        .agentLevelTooLow: .notInteractive, .appCancelled: .appCancel, .authenticationFailed: .authenticationFailed,
        .authenticationRounds: .authenticationFailed, .biometryDisconnected: .biometryDisconnected,
        .biometryLockedOut: .biometryLockout, .biometryNotAvailable: .biometryNotAvailable,
        .biometryNotEnrolled: .biometryNotEnrolled, .biometryNotPaired: .biometryNotPaired,
        .companionNotAvailable: .companionNotAvailable, .contextEnded: .invalidContext, .contextLost: .invalidContext,
        .enrolmentChanged: .authenticationFailed, .interactionNotAllowed: .notInteractive,
        .noAuthenticationAgent: .notInteractive, .operationNotGranted: .authenticationFailed,
        .passcodeNotSet: .passcodeNotSet, .passcodeRefused: .authenticationFailed, .processForked: .invalidContext,
        .promptFailed: .systemCancel, .promptTimedOut: .systemCancel, .tooManyContexts: .systemCancel,
        .userCancelled: .userCancel,
        .userFallback: .userFallback, .wrongApplicationPassword: .authenticationFailed,
    ]
}
