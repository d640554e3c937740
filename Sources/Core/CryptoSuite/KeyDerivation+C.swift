package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

/// Keys from passwords and passcodes.
package enum PasswordKey {
    package enum PseudoRandomFunction: Sendable {
        case hmacSHA1
        case hmacSHA256
    }

    /// PBKDF2 of RFC 8018.
    package static func pbkdf2(
        _ password: SecretBox, salt: [UInt8], rounds: Int, function: PseudoRandomFunction, count: Int
    ) throws(CryptoFailure) -> SecretBox {
        guard rounds >= 1, rounds <= Int(Int32.max) else { throw .badLength(found: rounds) }
        let digest = unsafe function == .hmacSHA1 ? EVP_sha1() : EVP_sha256()
        return try unsafe SecretBox(count: count) { output throws(CryptoFailure) in
            let done = unsafe password.withBytes { bytes in
                unsafe PKCS5_PBKDF2_HMAC(
                    bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count), salt,
                    Int32(salt.count), Int32(rounds), digest, Int32(count),
                    output.assumingMemoryBound(to: UInt8.self).baseAddress)
            }
            guard done == 1 else { throw .unsupported }
        }
    }

    /// scrypt of RFC 7914. Memory: 128 * `blockSize` * `cost` bytes.
    package static func scrypt(
        _ password: SecretBox, salt: [UInt8], cost: UInt64, blockSize: UInt64, lanes: UInt64, count: Int
    ) throws(CryptoFailure) -> SecretBox {
        let memoryLimit: UInt64 = 1 << 30
        return try unsafe SecretBox(count: count) { output throws(CryptoFailure) in
            let done = unsafe password.withBytes { bytes in
                unsafe EVP_PBE_scrypt(
                    bytes.assumingMemoryBound(to: CChar.self).baseAddress, bytes.count, salt, salt.count,
                    cost, blockSize, lanes, memoryLimit, output.assumingMemoryBound(to: UInt8.self).baseAddress, count)
            }
            guard done == 1 else { throw .unsupported }
        }
    }
}

/// X25519 of RFC 7748.
package enum X25519 {
    package static let byteCount = 32

    package static func publicKey(of privateKey: SecretBox) throws(CryptoFailure) -> [UInt8] {
        guard let key = unsafe Self.key(privateKey) else { throw .badLength(found: privateKey.count) }
        defer { unsafe EVP_PKEY_free(key) }
        var count = byteCount
        var bytes = [UInt8](repeating: 0, count: byteCount)
        guard unsafe EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1 else { throw .unsupported }
        return bytes
    }

    /// Returns the raw shared secret. All-zero results (low-order peer keys) are refused.
    package static func agree(_ privateKey: SecretBox, with peer: [UInt8]) throws(CryptoFailure) -> SecretBox {
        guard peer.count == byteCount else { throw .badLength(found: peer.count) }
        guard let own = unsafe key(privateKey) else { throw .badLength(found: privateKey.count) }
        defer { unsafe EVP_PKEY_free(own) }
        guard let other = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, peer, peer.count) else {
            throw .unsupported
        }
        defer { unsafe EVP_PKEY_free(other) }
        guard let context = unsafe EVP_PKEY_CTX_new(own, nil) else { throw .unsupported }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_derive_init(context) == 1, unsafe EVP_PKEY_derive_set_peer(context, other) == 1 else {
            throw .notAuthentic
        }
        return try unsafe SecretBox(count: byteCount) { output throws(CryptoFailure) in
            var count = byteCount
            let start = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
            guard unsafe EVP_PKEY_derive(context, start, &count) == 1 else { throw .notAuthentic }
        }
    }

    private static func key(_ privateKey: SecretBox) -> OpaquePointer? {
        guard privateKey.count == byteCount else { return nil }
        return unsafe privateKey.withBytes { bytes in
            unsafe EVP_PKEY_new_raw_private_key(
                EVP_PKEY_X25519, nil, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count)
        }
    }
}
