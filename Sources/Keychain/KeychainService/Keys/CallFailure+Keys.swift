import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// The failures of creating and using enclave keys.
extension CallFailure {
    init(_ refusal: EnclaveKeyRefusal) {
        self.init(refusal.code, refusal.refusal)
    }

    static let privateKeyUsageMissing = CallFailure(
        .param, .privateKeyUsageMissing, "The access control of the enclave key does not allow any use of the key.",
        advice: "Add privateKeyUsage to the flags of SecAccessControlCreateWithFlags.")

    static func otherKeyKind(_ kind: EnclaveKeyKind, does what: String) -> CallFailure {
        CallFailure(
            .param, .enclaveKeyOfOtherKind, "A key of \(kind.name) does not \(what).",
            advice: "Use a key that was made for this.")
    }

    static func tokenObjectKind(_ kind: EnclaveKeyKind) -> CallFailure {
        CallFailure(
            .param, .tokenObjectKind, "A key of \(kind.name) in the enclave cannot be an item of the keychain.",
            advice: "Keep the key's dataRepresentation as the data of a generic password.")
    }

    /// Returns the failure for a key that does not exist any more, or never existed on this device.
    static func enclaveKeyGone(_ refusal: KeyRefusal) -> CallFailure {
        switch refusal {
        case .deleted:
            CallFailure(
                .itemNotFound, .enclaveKeyDeleted, "The key was deleted.", advice: "Make a new one.")
        case .classKeyMissing:
            CallFailure(
                .itemNotFound, .enclaveKeyWithoutClass,
                "The passcode that the key was protected by was removed, and the key went with it.",
                advice: "Set a passcode and make a new key.")
        case .invalidated:
            CallFailure(
                .itemNotFound, .enclaveKeyInvalidated,
                "The fingers that the key was for are not those that are enrolled now.",
                advice: "Make a new key after a full login.")
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
