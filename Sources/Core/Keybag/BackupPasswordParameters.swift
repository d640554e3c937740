package import LatchkeyCryptoSuite
package import LatchkeySecretMemory

/// The way from the password of a backup to the key that wraps its class keys: two rounds since iOS 10.2, one before and
/// for a backup that is not encrypted.
package struct BackupPasswordParameters: Sendable, Hashable {
    package static let saltByteCount = 20

    package struct Round: Sendable, Hashable {
        package let salt: [UInt8]
        package let iterations: UInt32

        package init(salt: [UInt8], iterations: UInt32) {
            self.salt = salt
            self.iterations = iterations
        }
    }

    /// PBKDF2-HMAC-SHA256; nil for one round alone.
    package let first: Round?
    /// PBKDF2-HMAC-SHA1.
    package let second: Round

    /// Returns nil for values that a keybag does not take.
    package init?(first: Round?, second: Round) {
        guard second.salt.count == Self.saltByteCount, KeybagLimits.iterations.contains(second.iterations) else {
            return nil
        }
        if let first {
            guard first.salt.count == Self.saltByteCount,
                KeybagLimits.firstRoundIterations.contains(first.iterations)
            else { return nil }
        }
        self.first = first
        self.second = second
    }

    /// The counts of Apple's devices, with new salts.
    /// - Parameter firstIterations: fewer for tests alone; a backup with fewer says so when it is looked at.
    package static func encrypted(
        firstIterations: UInt32 = standardFirstIterations, entropy: any Entropy
    ) -> BackupPasswordParameters {
        let made = BackupPasswordParameters(
            first: Round(salt: entropy.bytes(saltByteCount), iterations: firstIterations),
            second: Round(salt: entropy.bytes(saltByteCount), iterations: standardIterations))
        guard let made else { preconditionFailure("the standard counts are within the limits") }
        return made
    }

    /// For the empty password of a backup that is not encrypted.
    package static func unencrypted(entropy: any Entropy) -> BackupPasswordParameters {
        let made = BackupPasswordParameters(
            first: nil, second: Round(salt: entropy.bytes(saltByteCount), iterations: standardIterations))
        guard let made else { preconditionFailure("the standard counts are within the limits") }
        return made
    }

    package static let standardFirstIterations: UInt32 = 10_000_000
    package static let standardIterations: UInt32 = 10_000

    /// The key for a password. Blocks: some seconds with the standard counts.
    package func passcodeKey(for password: SecretBox) throws(KeybagUnlockFailure) -> SecretBox {
        try BackupKeybag.passcodeKey(
            for: password, header: KeybagHeader(uuid: [UInt8](repeating: 0, count: 16), backup: self))
    }

    var records: [KeybagRecord] {
        [KeybagRecord(.salt, second.salt), KeybagRecord(.iterations, second.iterations)]
            + (first.map { first in
                [
                    KeybagRecord(.firstRoundType, 1), KeybagRecord(.firstRoundIterations, first.iterations),
                    KeybagRecord(.firstRoundSalt, first.salt),
                ]
            } ?? [])
    }
}

extension KeybagHeader {
    /// Makes the header of a backup's keybag, with the records and in the order that other readers know.
    package init(uuid: [UInt8], backup parameters: BackupPasswordParameters) {
        let records =
            [
                KeybagRecord(.version, 5), KeybagRecord(.type, Kind.backup.rawValue), KeybagRecord(.uuid, uuid),
                KeybagRecord(.authenticationKey, [UInt8](repeating: 0, count: 40)), KeybagRecord(.wrapping, 0),
            ] + parameters.records
        do {
            try self.init(records: records)
        } catch {
            preconditionFailure("the records of a backup's keybag are within the limits: \(error)")
        }
    }
}
