/// Signs that a key was not drawn at random.
enum KeyRules {
    /// The chance of so many zeros at one end is one in four billion keys.
    private static let leastPadding = 4
    /// Shorter random bytes are text too often.
    private static let leastText = 8
    /// 128 bits.
    private static let leastByteCount = 16

    static let text = CryptoFlaw(
        .textKey,
        reason:
            "The key is readable text: a password has a few dozen random bits at best, and an attacker who has the "
            + "ciphertext can try passwords as fast as the cipher runs.",
        advice:
            "Derive the key with CCKeyDerivationPBKDF (kCCPRFHmacAlgSHA256, a random salt of 16 bytes, 600000 rounds), "
            + "or make it with CCRandomGenerateBytes and keep it in the keychain. Decode a key that is stored as "
            + "hexadecimal digits or Base64 first.")

    static let textCode = CryptoFlaw(
        .textCodeKey,
        reason:
            "The key of the authentication code is readable text: a password has a few dozen random bits at best, and "
            + "an attacker who has one message and its code can try passwords, and then forge any message.",
        advice:
            "Make the key with CCRandomGenerateBytes (32 bytes) and keep it in the keychain, or derive it with "
            + "CCKeyDerivationPBKDF. Decode a key that is stored as hexadecimal digits or Base64 first. A service that hands "
            + "out its keys as text leaves no choice: expect this finding then.")

    static func shortKey(_ use: borrowing CipherUse) -> CryptoFlaw? {
        if let least = least(use.cipher), unsafe use.key.count < least {
            return short(
                "The key has \(unsafe use.key.count) bytes, and \(name(use.cipher)) should have \(least) at least: an "
                    + "attacker can try all short keys, and filling a key up does not make it stronger.")
        }
        guard unsafe isPadded(use.key) else { return nil }
        return short(
            "The key begins or ends with zeros: a shorter key was padded to the length of the cipher's, and only the "
                + "rest is secret.")
    }

    /// Returns true for letters, digits and signs, in ASCII or UTF-8, with or without padding.
    static func isText(_ key: UnsafeRawBufferPointer) -> Bool {
        let end = unsafe key.count - trailingZeros(key)
        guard end >= leastText || (end > 0 && key.count - end >= leastPadding) else { return false }
        var index = 0
        while index < end {
            let following: Int
            switch unsafe key[index] {
            case 0x20...0x7E: following = 0
            case 0xC2...0xDF: following = 1
            case 0xE0...0xEF: following = 2
            case 0xF0...0xF4: following = 3
            default: return false
            }
            for offset in 0..<following {
                guard index + 1 + offset < end, unsafe key[index + 1 + offset] & 0xC0 == 0x80 else { return false }
            }
            index += 1 + following
        }
        return true
    }

    /// Returns true if 3DES with this key is DES; the lowest bit of each byte is not part of a key.
    static func isSingleDES(_ key: UnsafeRawBufferPointer) -> Bool {
        guard key.count == 24 else { return false }
        func areSame(_ one: Int, _ other: Int) -> Bool {
            var difference: UInt8 = 0
            for index in 0..<8 { unsafe difference |= (key[8 * one + index] ^ key[8 * other + index]) & 0xFE }
            return difference == 0
        }
        return areSame(0, 1) || areSame(1, 2)
    }

    private static func short(_ reason: String) -> CryptoFlaw {
        CryptoFlaw(
            .shortKey, reason: reason,
            advice: "Make the key with CCRandomGenerateBytes (32 bytes for AES), or derive it from a password with "
                + "CCKeyDerivationPBKDF, in the length of the algorithm.")
    }

    /// Nil if every accepted key is as long as the algorithm's.
    private static func least(_ cipher: CipherUse.Cipher) -> Int? {
        switch cipher {
        case .aes, .cast, .rc4, .rc2, .blowfish: leastByteCount
        case .des: 8
        case .tripleDES: 24
        }
    }

    private static func name(_ cipher: CipherUse.Cipher) -> String {
        switch cipher {
        case .aes: "a key for AES"
        case .des: "a key for DES"
        case .tripleDES: "a key for 3DES"
        case .cast: "a key for CAST"
        case .rc4: "a key for RC4"
        case .rc2: "a key for RC2"
        case .blowfish: "a key for Blowfish"
        }
    }

    private static func isPadded(_ key: UnsafeRawBufferPointer) -> Bool {
        guard unsafe trailingZeros(key) < leastPadding else { return true }
        return key.count >= leastPadding && (unsafe key.prefix(leastPadding).allSatisfy { $0 == 0 })
    }

    private static func trailingZeros(_ key: UnsafeRawBufferPointer) -> Int {
        var count = 0
        while count < key.count, unsafe key[key.count - 1 - count] == 0 { count += 1 }
        return count
    }
}
