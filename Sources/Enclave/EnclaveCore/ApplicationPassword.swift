package import LatchkeyCryptoSuite
package import LatchkeyKeybag
package import LatchkeySecretMemory

/// The derivation of a wrapping key from an application password: scrypt with a salt of the device, then HMAC under the
/// device's UID. Neither password nor key is stored.
package enum ApplicationPassword {
    /// Fixed, because a password must always give the same key.
    package static let log2Cost: UInt32 = 14

    private static let blockSize: UInt64 = 8

    /// Derives the key; blocks while scrypt runs.
    package static func key(
        for password: SecretBox, on hardwareKey: HardwareKey, log2Cost: UInt32 = log2Cost
    ) throws(CryptoFailure) -> SecretBox {
        // A salt is public.
        let salt = unsafe hardwareKey.derived(label: "application password salt").withBytes { unsafe Array($0) }
        let stretched = try PasswordKey.scrypt(
            password, salt: salt, cost: 1 << UInt64(log2Cost), blockSize: blockSize, lanes: 1, count: 32)
        let key = hardwareKey.derived(label: "application password")
        return unsafe stretched.withBytes { unsafe HMACSHA256.secret(over: $0, key: key) }
    }
}
