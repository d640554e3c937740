import LatchkeyCryptoSuite
package import LatchkeySecretMemory

/// The keybag of a backup, opened with its password (the empty one for an unencrypted backup).
package enum BackupKeybag {
    /// A class key after the password's layer.
    package enum OpenedKey: Sendable {
        case open(SecretBox)
        /// The device key's layer remains: only the device that made the backup has that key.
        case stillBoundToDevice(SecretBox)
    }

    /// Derives the passcode key from a backup password, in two rounds if the keybag says so (iOS 10.2 and later).
    /// Blocks.
    package static func passcodeKey(
        for password: SecretBox, header: KeybagHeader
    ) throws(KeybagUnlockFailure) -> SecretBox {
        guard let salt = header.salt else { throw .missingRecord(.salt) }
        guard let iterations = header.iterations else { throw .missingRecord(.iterations) }
        do throws(CryptoFailure) {
            var secret = password
            if let rounds = header.firstRoundIterations, let firstSalt = header.firstRoundSalt {
                secret = try PasswordKey.pbkdf2(
                    password, salt: firstSalt, rounds: Int(rounds), function: .hmacSHA256, count: 32)
            }
            return try PasswordKey.pbkdf2(
                secret, salt: salt, rounds: Int(iterations), function: .hmacSHA1, count: 32)
        } catch {
            throw .unusableParameters
        }
    }

    /// Opens all class keys by class number, unknown classes included. Blocks while the password is stretched.
    package static func open(
        _ keybag: Keybag, password: SecretBox
    ) throws(KeybagUnlockFailure) -> [UInt32: OpenedKey] {
        try open(keybag, passcodeKey: passcodeKey(for: password, header: keybag.header))
    }

    /// The same with the key of the password.
    package static func open(
        _ keybag: Keybag, passcodeKey: SecretBox
    ) throws(KeybagUnlockFailure) -> [UInt32: OpenedKey] {
        var keys: [UInt32: OpenedKey] = [:]
        for wrapped in keybag.classKeys where wrapped.wrapping.contains(.passcodeKey) {
            do {
                let key = try AESKeyWrap.unwrap(wrapped.wrappedKey, with: passcodeKey)
                keys[wrapped.classNumber] =
                    wrapped.wrapping.contains(.deviceKey) ? .stillBoundToDevice(key) : .open(key)
            } catch {
                throw .wrongPasscode
            }
        }
        return keys
    }
}
