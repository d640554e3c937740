/// Flaws of a cipher that do not depend on its input.
enum CipherRules {
    static func flaws(of use: borrowing CipherUse) -> [CryptoFlaw] {
        [
            use.mode == .ecb ? ecb : nil,
            unitKeys(use),
            deadCipher(use),
            unsafe KeyRules.isText(use.key) ? KeyRules.text : nil,
            KeyRules.shortKey(use),
        ].compactMap(\.self)
    }

    static let ecb = CryptoFlaw(
        .ecb,
        reason:
            "ECB encrypts each block by itself: equal blocks stay equal, so the shape of the message shows, and an "
            + "attacker can move, repeat and leave out blocks.",
        advice:
            "Call CryptoKit's AES.GCM.seal(_:using:), or CCCrypt with kCCOptionPKCS7Padding alone (CBC), a new random IV "
            + "for each message and CCHmac over IV and ciphertext.")

    private static func unitKeys(_ use: borrowing CipherUse) -> CryptoFlaw? {
        guard use.mode == .xts else { return nil }
        if !use.hasEqualKeys { guard unsafe use.key.count == 24 else { return nil } }
        let reason =
            use.hasEqualKeys
            ? "The two keys of XTS are the same: an attacker who can have units encrypted can read others with them "
                + "(NIST SP 800-38E and FIPS 140 forbid it)."
            : "XTS with keys of 24 bytes: IEEE 1619 has AES-128 and AES-256; other programs cannot read such units."
        return CryptoFlaw(
            .unitKeys, reason: reason,
            advice:
                "Draw 32 or 64 bytes with CCRandomGenerateBytes: the first half is the key, the second one the tweak key."
        )
    }

    private static func deadCipher(_ use: borrowing CipherUse) -> CryptoFlaw? {
        let reason: String
        switch use.cipher {
        case .des:
            reason = "The key of DES has 56 bits: an attacker can try all keys in hours on rented machines."
        case .tripleDES where unsafe KeyRules.isSingleDES(use.key):
            reason =
                "Two neighbouring thirds of the key are the same, which makes 3DES the DES of 56 bits: two of its three "
                + "steps undo each other."
        case .rc4:
            reason =
                "The output of RC4 is not random: a text that is sent often can be read from it, and a change is not "
                + "noticed."
        case .rc2:
            reason = "RC2 is a cipher of 1987 with known weaknesses against chosen keys, and blocks of 8 bytes."
        case .aes, .tripleDES, .cast, .blowfish:
            return nil
        }
        return CryptoFlaw(
            .deadCipher, reason: reason,
            advice:
                "Call CryptoKit's AES.GCM.seal(_:using:), or CCCrypt with kCCAlgorithmAES, a key of 32 random bytes and "
                + "CCHmac. Use the old cipher only to read existing data, and encrypt that anew.")
    }
}
