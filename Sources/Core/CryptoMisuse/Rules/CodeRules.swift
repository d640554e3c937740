/// What is wrong about how ciphertexts and authentication codes are used together.
enum CodeRules {
    static func unauthenticated(isEncrypting: Bool) -> CryptoFlaw {
        CryptoFlaw(
            .cbcWithoutAuthentication,
            reason: isEncrypting
                ? "CBC, and no authentication code over the ciphertext: whoever can change it changes the text, bit by bit, "
                    + "and a program that tells whether the padding was right decrypts it for him."
                : "A CBC ciphertext was decrypted, and no authentication code over it was computed before: whoever sends "
                    + "changed ciphertexts learns from each answer whether the padding was right, and so reads the text "
                    + "(a padding oracle).",
            advice: isEncrypting
                ? "Call CryptoKit's AES.GCM.seal(_:using:), or RNCryptor.encrypt(data:withPassword:), or compute CCHmac with a "
                    + "second key over IV and ciphertext, and store it behind them."
                : "Compute CCHmac over IV and ciphertext and compare it, in constant time, before CCCrypt; or call "
                    + "CryptoKit's AES.GCM.open(_:using:), or RNCryptor.decrypt(data:withPassword:), which do so.")
    }

    static let variableTime = CryptoFlaw(
        .variableTimeComparison,
        reason:
            "An authentication code or a decrypted secret was compared with memcmp or ==, which stop at the first byte "
            + "that differs: the time tells how far a guess was right, and a code is guessed byte by byte.",
        advice:
            "Compare with CryptoKit's HMAC.isValidAuthenticationCode(_:authenticating:using:), with timingsafe_bcmp or "
            + "CRYPTO_memcmp where there is one, or with a loop that looks at every byte: difference |= one[i] ^ other[i]."
    )
}
