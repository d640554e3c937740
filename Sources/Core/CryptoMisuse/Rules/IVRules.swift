/// Flaws of the first block of a cipher.
enum IVRules {
    static func isMissing(_ use: borrowing CipherUse) -> Bool {
        guard let iv = unsafe use.iv else { return true }
        return unsafe iv.allSatisfy { $0 == 0 }
    }

    static let missing = CryptoFlaw(
        .missingIV,
        reason:
            "CBC without an IV, or with one of zeros: messages that begin alike have ciphertexts that begin alike, and "
            + "an attacker who can have texts encrypted can guess how a message begins.",
        advice: "Give each message 16 new bytes of CCRandomGenerateBytes as its IV, and store them in front of the "
            + "ciphertext: they are not secret.")

    /// Nil for modes in which it is not a flaw.
    static func repeated(_ mode: CipherUse.Mode) -> CryptoFlaw? {
        let reason: String
        switch mode {
        case .ecb, .xts:
            return nil
        case .cbc, .cfb, .cfb8:
            reason =
                "Two messages were encrypted with the same key and IV: an attacker learns how far they are equal."
        case .ctr, .ofb:
            reason =
                "Two messages were encrypted with the same key and IV, and so with the same stream of bytes: an "
                + "attacker who sees both has the difference of the two texts, and reads both where one is known. This "
                + "is worse than with CBC."
        case .rc4:
            reason =
                "Two messages were encrypted with the same RC4 key, and so with the same stream of bytes: an attacker "
                + "who sees both has the difference of the two texts, and reads both where one is known. RC4 has no IV "
                + "that could tell them apart."
        case .gcm:
            reason =
                "Two messages were encrypted with GCM under the same key and IV: an attacker who sees both has the "
                + "difference of the two texts, and can compute the authentication key and forge any further message."
        }
        return CryptoFlaw(.repeatedIV, reason: reason, advice: advice(mode))
    }

    static let overlapping = CryptoFlaw(
        .overlappingCounters,
        reason:
            "Two messages were encrypted in CTR with the same key, and their counters overlap: in the overlap both "
            + "have the same stream of bytes, and an attacker who sees both has the difference of the two texts.",
        advice:
            "Count on by the blocks of the message before, or give each message an IV whose first eight bytes are new and "
            + "whose last eight are zeros; or call CryptoKit's AES.GCM.seal(_:using:), which does it.")

    private static func advice(_ mode: CipherUse.Mode) -> String {
        switch mode {
        case .rc4: "Call CryptoKit's AES.GCM.seal(_:using:), which draws a new nonce for each message."
        case .gcm:
            "Draw a new IV of 12 bytes with CCRandomGenerateBytes for each message, or call CryptoKit's "
                + "AES.GCM.seal(_:using:) without a nonce, which does."
        default:
            "Draw a new IV with CCRandomGenerateBytes for each message and store it in front of the ciphertext, or call "
                + "CryptoKit's AES.GCM.seal(_:using:) without a nonce, which does both."
        }
    }
}
