package import LatchkeyCryptoSuite
package import LatchkeySecretMemory

/// Class B: keys that are wrapped with the public half of the class key, even while the device is locked, and unwrapped
/// with the private half. One-pass Diffie-Hellman of SP 800-56A over X25519 with its SHA-256 key derivation.
///
/// Wrapped form: ephemeral public key (32) || key wrapped under the agreed key (RFC 3394).
package enum FileKeyAgreement {
    package static let overhead = X25519.byteCount + AESKeyWrap.overhead

    /// The ephemeral private key is wiped on return.
    package static func wrap(
        _ key: SecretBox, classPublicKey: [UInt8], entropy: any Entropy,
        wrappingKey: (SecretBox) -> SecretBox = { $0 }
    ) throws(CryptoFailure) -> [UInt8] {
        let ephemeral = unsafe SecretBox(count: X25519.byteCount) { unsafe entropy.fill($0) }
        let ephemeralPublicKey = try X25519.publicKey(of: ephemeral)
        let agreed = try agreedKey(
            own: ephemeral, peer: classPublicKey, ephemeralPublicKey: ephemeralPublicKey,
            classPublicKey: classPublicKey)
        return ephemeralPublicKey + AESKeyWrap.wrap(key, with: wrappingKey(agreed))
    }

    package static func unwrap(
        _ wrapped: [UInt8], classPrivateKey: SecretBox, wrappingKey: (SecretBox) -> SecretBox = { $0 }
    ) throws(CryptoFailure) -> SecretBox {
        guard wrapped.count >= overhead + 16 else { throw .badLength(found: wrapped.count) }
        let ephemeralPublicKey = Array(wrapped.prefix(X25519.byteCount))
        let agreed = try agreedKey(
            own: classPrivateKey, peer: ephemeralPublicKey, ephemeralPublicKey: ephemeralPublicKey,
            classPublicKey: try X25519.publicKey(of: classPrivateKey))
        return try AESKeyWrap.unwrap(Array(wrapped.dropFirst(X25519.byteCount)), with: wrappingKey(agreed))
    }

    private static func agreedKey(
        own: SecretBox, peer: [UInt8], ephemeralPublicKey: [UInt8], classPublicKey: [UInt8]
    ) throws(CryptoFailure) -> SecretBox {
        let shared = try X25519.agree(own, with: peer)
        var digest = RunningDigest(.sha256)
        digest.update([0, 0, 0, 1])
        unsafe shared.withBytes { unsafe digest.update($0) }
        digest.update(ephemeralPublicKey)
        digest.update(classPublicKey)
        return digest.finishSecret()
    }
}
