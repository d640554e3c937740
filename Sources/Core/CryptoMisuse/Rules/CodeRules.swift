/// Flaws in the combination of ciphertexts and authentication codes.
enum CodeRules {
    static func unauthenticated(isEncrypting: Bool) -> CryptoFlaw {
        CryptoFlaw(
            .cbcWithoutAuthentication,
            reason: isEncrypting
                ? "CBC, and no authentication code over the ciphertext: a change of it changes the text bit by bit, "
                    + "and a program that reveals whether the padding was right decrypts it for the attacker."
                : "A CBC ciphertext was decrypted, and no authentication code over it was computed before: an attacker "
                    + "who sends changed ciphertexts learns from each answer whether the padding was right, and so "
                    + "reads the text (a padding oracle).",
            advice: isEncrypting
                ? "Call CryptoKit's AES.GCM.seal(_:using:), or RNCryptor.encrypt(data:withPassword:), or compute CCHmac with a "
                    + "second key over IV and ciphertext, and store it behind them."
                : "Compute CCHmac over IV and ciphertext and compare it, in constant time, before CCCrypt; or call "
                    + "CryptoKit's AES.GCM.open(_:using:), or RNCryptor.decrypt(data:withPassword:), which do this.")
    }

    static let variableTime = CryptoFlaw(
        .variableTimeComparison,
        reason:
            "An authentication code or a decrypted secret was compared with memcmp or ==, which stop at the first byte "
            + "that differs: the time reveals how far a guess was right, so an attacker guesses a code byte by byte.",
        advice:
            "Compare with CryptoKit's HMAC.isValidAuthenticationCode(_:authenticating:using:), with timingsafe_bcmp or "
            + "CRYPTO_memcmp where there is one, or with a loop that looks at every byte: difference |= one[i] ^ other[i]."
    )
}
