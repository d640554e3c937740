/// Flaws in the use of a digest with a secret.
enum DigestRules {
    static func ofSecret(_ digest: BrokenDigest) -> CryptoFlaw {
        CryptoFlaw(
            .weakDigest,
            reason:
                "\(digest.name) of a secret: it runs a billion times a second on one graphics card, so an attacker "
                + "who has the digest can guess the secret; and collisions of \(digest.name) can be made.",
            advice:
                "Do not keep a digest of a secret. Derive a key with CCKeyDerivationPBKDF (kCCPRFHmacAlgSHA256, a random salt "
                + "of 16 bytes, 600000 rounds), or compute HMAC-SHA-256 with a key from the keychain.")
    }

    static func asKey(_ digest: BrokenDigest) -> CryptoFlaw {
        CryptoFlaw(
            .weakDigest,
            reason:
                "The key is the \(digest.name) of something: if that is a password, each guess costs an attacker one "
                + "\(digest.name) and one block.",
            advice:
                "Derive the key with CCKeyDerivationPBKDF (kCCPRFHmacAlgSHA256, a random salt of 16 bytes, 600000 rounds), or "
                + "make it with CCRandomGenerateBytes and keep it in the keychain.")
    }
}
