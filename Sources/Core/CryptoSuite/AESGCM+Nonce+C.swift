package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

/// AES-GCM for other formats: keys of 16 or 32 bytes, a nonce of 1 to 128 bytes that both sides know. Sealed form:
/// ciphertext || tag (16).
extension AESGCM {
    package static func seal(
        _ plaintext: UnsafeRawBufferPointer, key: SecretBox, agreedNonce: SecretBox, associatedData: [UInt8]
    ) -> [UInt8] {
        precondition([16, 32].contains(key.count) && (1...128).contains(agreedNonce.count))
        return unsafe [UInt8](unsafeUninitializedCapacity: plaintext.count + tagByteCount) { buffer, written in
            let output = UnsafeMutableRawBufferPointer(buffer)
            let context = CipherContext()
            unsafe key.withBytes { key in
                unsafe agreedNonce.withBytes { unsafe context.startGCM(key: key, nonce: $0, encrypting: true) }
            }
            context.authenticate(associatedData)
            unsafe context.run(plaintext, into: output)
            unsafe context.readTag(into: UnsafeMutableRawBufferPointer(rebasing: output[plaintext.count...]))
            written = plaintext.count + tagByteCount
        }
    }

    package static func open(
        _ sealed: UnsafeRawBufferPointer, key: SecretBox, agreedNonce: SecretBox, associatedData: [UInt8]
    ) throws(CryptoFailure) -> SecretBox {
        precondition([16, 32].contains(key.count) && (1...128).contains(agreedNonce.count))
        guard sealed.count >= tagByteCount else { throw .badLength(found: sealed.count) }
        let body = unsafe UnsafeRawBufferPointer(rebasing: sealed.dropLast(tagByteCount))
        let tag = unsafe UnsafeRawBufferPointer(rebasing: sealed.suffix(tagByteCount))
        return try unsafe SecretBox(count: body.count) { output throws(CryptoFailure) in
            let context = CipherContext()
            unsafe key.withBytes { key in
                unsafe agreedNonce.withBytes { unsafe context.startGCM(key: key, nonce: $0, encrypting: false) }
            }
            context.authenticate(associatedData)
            unsafe context.run(body, into: output)
            guard unsafe context.isAuthentic(tag) else { throw .notAuthentic }
        }
    }
}
