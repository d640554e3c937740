package import LatchkeyCryptoSuite
package import LatchkeyKeybag
package import LatchkeySecretMemory

/// How a program's own password becomes the key that wraps the keys of its items: scrypt with a salt of the device,
/// then HMAC under the device's UID. Neither password nor key is stored.
package enum ApplicationPassword {
    /// Fixed, because the same password has to give the same key for ever.
    package static let log2Cost: UInt32 = 14

    private static let blockSize: UInt64 = 8

    /// Blocks while the password is stretched.
    package static func key(
        for password: SecretBox, on hardwareKey: HardwareKey, log2Cost: UInt32 = log2Cost
    ) throws(CryptoFailure) -> SecretBox {
        // A salt is no secret.
        let salt = unsafe hardwareKey.derived(label: "application password salt").withBytes { unsafe Array($0) }
        let stretched = try PasswordKey.scrypt(
            password, salt: salt, cost: 1 << UInt64(log2Cost), blockSize: blockSize, lanes: 1, count: 32)
        let key = hardwareKey.derived(label: "application password")
        return unsafe stretched.withBytes { unsafe HMACSHA256.secret(over: $0, key: key) }
    }
}
