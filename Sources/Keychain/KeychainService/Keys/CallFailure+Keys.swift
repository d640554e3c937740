import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// The failures of creating and using enclave keys.
extension CallFailure {
    init(_ refusal: EnclaveKeyRefusal) {
        self.init(refusal.code, refusal.refusal)
    }

    static let privateKeyUsageMissing = CallFailure(.param, .privateKeyUsageMissing)

    static func otherKeyKind(_ kind: EnclaveKeyKind, does what: String) -> CallFailure {
        CallFailure(.param, .enclaveKeyOfOtherKind, kind.name, what)
    }

    static func tokenObjectKind(_ kind: EnclaveKeyKind) -> CallFailure {
        CallFailure(.param, .tokenObjectKind, kind.name)
    }

    /// Returns the failure for a key that does not exist any more, or never existed on this device.
    static func enclaveKeyGone(_ refusal: KeyRefusal) -> CallFailure {
        switch refusal {
        case .deleted:
            CallFailure(.itemNotFound, .enclaveKeyDeleted)
        case .classKeyMissing:
            CallFailure(.itemNotFound, .enclaveKeyWithoutClass)
        case .invalidated:
            CallFailure(.itemNotFound, .enclaveKeyInvalidated)
        case .locked, .damaged, .authenticationNeeded, .wrongApplicationPassword:
            CallFailure(EnclaveKeyRefusal.keyNotHere)
        }
    }

    /// Returns the failure of a call for which the enclave did not make a key.
    static func keyNotMade(_ refusal: KeyRefusal, _ keyClass: KeyClass) -> CallFailure {
        switch refusal {
        case .locked: .locked(keyClass)
        case .classKeyMissing: .classKeyMissing(keyClass)
        case .damaged, .authenticationNeeded, .invalidated, .wrongApplicationPassword, .deleted: .keyDamaged
        }
    }
}
