import Foundation
import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LocalAuthentication
import Security

/// The errors that a program gets when the enclave refuses.
enum EnclaveRefusal {
    /// Returns an ``LAError`` if a person did not fulfil the key's conditions; else an error with the result code that
    /// calls of Security have for it.
    static func error(of reply: KeyReply) -> any Error {
        guard case .failed(let code, let refusal) = reply else { return KeyCallFailure.nonsense.error }
        guard let number = authenticationCode(code, refusal) else { return KeyCallFailure(code, refusal).error }
        guard let refusal else { return LAError(number) }
        return LAError(number, refusal)
    }

    /// Returns the error for a key of another kind than the program's type.
    static func anotherKind(than kind: EnclaveKeyKind) -> NSError {
        KeyCallFailure(
            errSecParam,
            Refusal(
                rule: "enclave-key-of-other-kind",
                reason: "The bytes are an enclave key, but of another kind than \(kind.name).",
                advice: "Restore it with the type that made it.")
        ).error
    }

    /// Returns nil for a refusal that is not about a person's proof.
    private static func authenticationCode(_ code: ResultCode, _ refusal: Refusal?) -> LAError.Code? {
        if let code = refusal.flatMap({ codesOfRules[$0.rule] }) { return code }
        return switch code {
        case .userCanceled: .userCancel
        case .authFailed: .authenticationFailed
        default: nil
        }
    }

    /// The rules about a missing proof, with the numbers that an evaluation gives for them.
    private static let codesOfRules: [String: LAError.Code] = [
        "agent-level-too-low": .notInteractive, "app-cancelled": .appCancel,
        "authentication-failed": .authenticationFailed,
        "authentication-rounds": .authenticationFailed, "biometry-disconnected": .biometryDisconnected,
        "biometry-locked-out": .biometryLockout, "biometry-not-available": .biometryNotAvailable,
        "biometry-not-enrolled": .biometryNotEnrolled, "biometry-not-paired": .biometryNotPaired,
        "companion-not-available": .companionNotAvailable, "context-ended": .invalidContext,
        "context-lost": .invalidContext, "enrolment-changed": .authenticationFailed,
        "interaction-not-allowed": .notInteractive, "no-authentication-agent": .notInteractive,
        "operation-not-granted": .authenticationFailed, "passcode-not-set": .passcodeNotSet,
        "passcode-refused": .authenticationFailed, "prompt-failed": .systemCancel, "prompt-timed-out": .systemCancel,
        "too-many-contexts": .systemCancel, "user-cancelled": .userCancel, "user-fallback": .userFallback,
        "wrong-application-password": .authenticationFailed,
    ]
}
