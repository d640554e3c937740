import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag

/// The failures of creating and using enclave keys.
extension CallFailure {
    static let privateKeyUsageMissing = CallFailure(
        .param, .privateKeyUsageMissing, "The access control of the enclave key does not allow any use of the key.",
        advice: "Add privateKeyUsage to the flags of SecAccessControlCreateWithFlags.")

    static let badPeer = CallFailure(
        .param, .badPeer, "The other side's key is not a point of the curve P-256.",
        advice: "Give the 65 bytes of an uncompressed public key.")

    static func badDigest(_ byteCount: Int) -> CallFailure {
        CallFailure(
            .param, .badDigest, "A digest of \(byteCount) bytes cannot be signed.",
            advice: "Sign 1 to 64 bytes: the digest of the message, not the message.")
    }

    static func messageTooLong(_ byteCount: Int) -> CallFailure {
        CallFailure(
            .param, .messageTooLong,
            "A message of \(byteCount) bytes is too long to be signed in the enclave: at most "
                + "\(EnclaveLimits.messageByteCount).",
            advice: "Sign the digest of the message, and let the verifier do the same.")
    }

    static func contextStringTooLong(_ byteCount: Int) -> CallFailure {
        CallFailure(
            .param, .contextStringTooLong,
            "A context string of \(byteCount) bytes cannot be signed beside a message: at most "
                + "\(EnclaveLimits.contextStringByteCount).",
            advice: "Use a shorter one, or its digest.")
    }

    /// - Parameter kind: the kind of the key, if it is known; otherwise the text lists all lengths.
    static func badCiphertext(_ byteCount: Int, _ kind: EnclaveKeyKind? = nil) -> CallFailure {
        let expected = (kind.map { [$0] } ?? EnclaveKeyKind.allCases).compactMap { kind in
            kind.ciphertextByteCount.map { "\($0) bytes for a key of \(kind.name)" }
        }
        return CallFailure(
            .param, .badCiphertext,
            "A ciphertext has \(expected.joined(separator: ", ")); this one has \(byteCount).",
            advice: "Give the whole ciphertext, encapsulated with this key's public key.")
    }

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
            CallFailure(
                .itemNotFound, .enclaveKeyNotHere,
                "The bytes name no key of this device: they are of another one, or were altered.",
                advice: "Make a new key; a key never leaves the device it was made on.")
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

    static let unexpectedKeyReply = CallFailure.enclave(.malformed(reason: "another answer about a key"))
}
