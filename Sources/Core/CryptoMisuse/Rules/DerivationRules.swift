/// Flaws of a key that comes from a password.
enum DerivationRules {
    /// NIST SP 800-132, 5.1: the random part of a salt has 128 bits.
    static let leastSaltByteCount = 16

    static func flaws(of use: borrowing DerivationUse) -> [CryptoFlaw] {
        [
            use.function == .sha1 ? sha1 : nil, fewRounds(use), unsafe shortSalt(use.salt),
        ].compactMap(\.self)
    }

    /// OWASP's Password Storage Cheat Sheet.
    static func leastRounds(_ function: DerivationUse.PseudoRandomFunction) -> UInt32 {
        switch function {
        case .sha1: 1_300_000
        case .sha224, .sha256: 600_000
        case .sha384, .sha512: 210_000
        }
    }

    private static let sha1 = CryptoFlaw(
        .derivationWithSHA1,
        reason: "PBKDF2 with HMAC-SHA-1: machines for guessing passwords are fastest with it, so each round costs an "
            + "attacker the least.",
        advice:
            "Call CCKeyDerivationPBKDF with kCCPRFHmacAlgSHA256 and 600000 rounds, or kCCPRFHmacAlgSHA512 and 210000.")

    private static func fewRounds(_ use: borrowing DerivationUse) -> CryptoFlaw? {
        let least = leastRounds(use.function)
        guard use.rounds < least else { return nil }
        return CryptoFlaw(
            .fewRounds,
            reason:
                "PBKDF2 with \(use.rounds) rounds: each guess of the password costs an attacker as little as it costs "
                + "the program.",
            advice:
                "Use \(least) rounds or more with this hash function, and store the number beside the salt, so that it "
                + "can grow. CCCalibratePBKDF measures how many rounds fit into a given time.")
    }

    private static func shortSalt(_ salt: UnsafeRawBufferPointer) -> CryptoFlaw? {
        guard salt.count < leastSaltByteCount else { return nil }
        let reason =
            unsafe salt.isEmpty
            ? "PBKDF2 without a salt: one table of passwords and their keys opens the data of every user."
            : "PBKDF2 with a salt of \(salt.count) bytes: salts that short repeat, and one guess then counts "
                + "for several users."
        return CryptoFlaw(
            .shortSalt, reason: reason,
            advice: "Draw 16 bytes with CCRandomGenerateBytes for each password, and store them beside the result.")
    }
}
