package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

/// AES-256-GCM with a random 96-bit nonce. Sealed form: nonce (12) || ciphertext || tag (16).
package enum AESGCM {
    package static let nonceByteCount = 12
    package static let tagByteCount = 16
    package static let overhead = nonceByteCount + tagByteCount

    /// Seals `plaintext`; the nonce comes from `entropy`.
    package static func seal(
        _ plaintext: UnsafeRawBufferPointer, key: SecretBox, associatedData: [UInt8], entropy: some Entropy
    ) -> [UInt8] {
        unsafe seal(plaintext, key: key, nonce: entropy.bytes(nonceByteCount), associatedData: associatedData)
    }

    package static func seal(
        _ plaintext: UnsafeRawBufferPointer, key: SecretBox, nonce: [UInt8], associatedData: [UInt8]
    ) -> [UInt8] {
        precondition(nonce.count == nonceByteCount && key.count == 32)
        return unsafe [UInt8](unsafeUninitializedCapacity: plaintext.count + overhead) { buffer, written in
            let output = UnsafeMutableRawBufferPointer(buffer)
            unsafe output.copyBytes(from: nonce)
            let body = unsafe UnsafeMutableRawBufferPointer(rebasing: output[nonceByteCount...])
            let context = CipherContext()
            unsafe key.withBytes { unsafe context.start(Ciphers.aes256GCM, key: $0, iv: nonce, encrypting: true) }
            context.authenticate(associatedData)
            unsafe context.run(plaintext, into: body)
            unsafe context.readTag(into: UnsafeMutableRawBufferPointer(rebasing: body[plaintext.count...]))
            written = plaintext.count + overhead
        }
    }

    /// Opens a sealed form and returns the plaintext in locked memory.
    package static func open(
        _ sealed: UnsafeRawBufferPointer, key: SecretBox, associatedData: [UInt8]
    ) throws(CryptoFailure) -> SecretBox {
        guard sealed.count >= overhead else { throw .badLength(found: sealed.count) }
        return try unsafe SecretBox(count: sealed.count - overhead) { output throws(CryptoFailure) in
            try unsafe open(sealed, key: key, associatedData: associatedData, into: output)
        }
    }

    package static func open(
        _ sealed: [UInt8], key: SecretBox, associatedData: [UInt8]
    ) throws(CryptoFailure) -> SecretBox {
        // The closure's typed throw is lost through `withUnsafeBytes`, so the closure returns a result.
        let outcome = unsafe sealed.withUnsafeBytes { bytes -> Result<SecretBox, CryptoFailure> in
            do throws(CryptoFailure) {
                return unsafe .success(try open(bytes, key: key, associatedData: associatedData))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Writes the plaintext into `output`, which must hold `sealed.count - overhead` bytes; wipes it on failure.
    package static func open(
        _ sealed: UnsafeRawBufferPointer, key: SecretBox, associatedData: [UInt8],
        into output: UnsafeMutableRawBufferPointer
    ) throws(CryptoFailure) {
        guard sealed.count >= overhead, output.count == sealed.count - overhead, key.count == 32 else {
            throw .badLength(found: sealed.count)
        }
        let nonce = unsafe UnsafeRawBufferPointer(rebasing: sealed.prefix(nonceByteCount))
        let body = unsafe UnsafeRawBufferPointer(rebasing: sealed[nonceByteCount..<(sealed.count - tagByteCount)])
        let tag = unsafe UnsafeRawBufferPointer(rebasing: sealed.suffix(tagByteCount))
        let context = CipherContext()
        unsafe key.withBytes { unsafe context.start(Ciphers.aes256GCM, key: $0, iv: nonce, encrypting: false) }
        context.authenticate(associatedData)
        unsafe context.run(body, into: output)
        guard unsafe context.isAuthentic(tag) else {
            unsafe wipe(output)
            throw .notAuthentic
        }
    }
}
