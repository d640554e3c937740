import LatchkeyCryptoSuite
import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

/// One operation with an RSA key.
@safe struct RSAOperation {
    enum Padding: Equatable {
        case none
        case pkcs1
        case pss(DigestAlgorithm)
        case oaep(DigestAlgorithm)
    }

    private let handle: KeyHandle
    private let padding: Padding
    /// For a PKCS#1 signature: the name before the digest.
    private let named: DigestAlgorithm?
    private let blockByteCount: Int

    init(_ handle: KeyHandle, _ padding: Padding, named: DigestAlgorithm? = nil) {
        self.handle = handle
        self.padding = padding
        self.named = named
        blockByteCount = unsafe Int(EVP_PKEY_get_size(handle.key))
    }

    init(_ handle: KeyHandle, _ algorithm: SignatureAlgorithm) throws(KeyOperationFailure) {
        switch (algorithm.scheme, algorithm.digest) {
        case (.rsaRaw, _): self.init(handle, .none)
        case (.rsaPKCS1, let digest): self.init(handle, .pkcs1, named: digest)
        case (.rsaPSS, let digest?): self.init(handle, .pss(digest))
        case (.rsaPSS, nil), (.ecdsaX962, _), (.ecdsaRFC4754, _): throw .unsupported
        }
    }

    /// Calls `body` with a prepared context; nil if libcrypto refuses the key or the padding.
    private func withContext<R>(
        _ begin: (OpaquePointer) -> Int32, _ body: (OpaquePointer) -> R?
    ) -> R? {
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_PKEY_CTX_new(handle.key, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe begin(context) == 1, unsafe setPadding(context) else { return nil }
        return unsafe body(context)
    }

    private func setPadding(_ context: OpaquePointer) -> Bool {
        switch padding {
        case .none:
            return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1
        case .pkcs1:
            guard unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1 else { return false }
            return named.map { unsafe EVP_PKEY_CTX_set_signature_md(context, $0.implementation) == 1 } ?? true
        case .pss(let digest):
            // The salt is as long as the digest, when signing and when verifying.
            return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_signature_md(context, digest.implementation) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest.implementation) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
        case .oaep(let digest):
            return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_oaep_md(context, digest.implementation) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest.implementation) == 1
        }
    }

    /// Returns the input for libcrypto: without padding a whole block, with leading zeros.
    private func block(_ bytes: [UInt8]) throws(KeyOperationFailure) -> [UInt8] {
        let limit = padding == .pkcs1 && named == nil ? blockByteCount - 11 : blockByteCount
        guard bytes.count <= limit else {
            throw .badInput(reason: "\(bytes.count) bytes, but the key takes at most \(limit)")
        }
        return padding == .none ? [UInt8](repeating: 0, count: blockByteCount - bytes.count) + bytes : bytes
    }

    func sign(_ digest: [UInt8]) throws(KeyOperationFailure) -> [UInt8] {
        let block = try block(digest)
        let signature = unsafe withContext({ unsafe EVP_PKEY_sign_init($0) }) { context -> [UInt8]? in
            var signature = [UInt8](repeating: 0, count: blockByteCount)
            var count = signature.count
            guard unsafe EVP_PKEY_sign(context, &signature, &count, block, block.count) == 1,
                count == blockByteCount
            else { return nil }
            return signature
        }
        guard let signature else { throw .badInput(reason: "the bytes are a number that is not below the modulus") }
        return signature
    }

    func isSignature(_ signature: [UInt8], over digest: [UInt8]) throws(KeyOperationFailure) -> Bool {
        let block = try block(digest)
        guard signature.count == blockByteCount else { return false }
        // libcrypto takes an empty content for a missing one.
        if padding == .pkcs1, named == nil, digest.isEmpty { return isEmptySignature(signature) }
        return unsafe withContext({ unsafe EVP_PKEY_verify_init($0) }) { context in
            unsafe EVP_PKEY_verify(context, signature, signature.count, block, block.count) == 1
        } ?? false
    }

    /// Returns true if a PKCS#1 signature has no content: 0, 1, 0xFF up to the end of the block, 0.
    private func isEmptySignature(_ signature: [UInt8]) -> Bool {
        let block = unsafe signature.withUnsafeBytes { bytes in
            try? unsafe RSAOperation(handle, .none).encrypt(bytes)
        }
        return block == [0, 1] + [UInt8](repeating: 0xFF, count: blockByteCount - 3) + [0]
    }

    func encrypt(_ plaintext: UnsafeRawBufferPointer) throws(KeyOperationFailure) -> [UInt8] {
        // The plaintext may be secret: it is padded in locked memory.
        let padded = unsafe SecretBox(count: padding == .none ? blockByteCount : plaintext.count) { room in
            unsafe UnsafeMutableRawBufferPointer(rebasing: room[(room.count - plaintext.count)...])
                .copyMemory(from: plaintext)
        }
        let ciphertext = unsafe withContext({ unsafe EVP_PKEY_encrypt_init($0) }) { context -> [UInt8]? in
            var ciphertext = [UInt8](repeating: 0, count: blockByteCount)
            var count = ciphertext.count
            let done = unsafe padded.withBytes { bytes in
                let start = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
                return unsafe EVP_PKEY_encrypt(context, &ciphertext, &count, start, bytes.count) == 1
            }
            return done && count == blockByteCount ? ciphertext : nil
        }
        guard let ciphertext else { throw .badInput(reason: "the bytes are a number that is not below the modulus") }
        return ciphertext
    }

    /// Decrypts. The failure is the same for every kind of wrong input.
    func decrypt(_ ciphertext: UnsafeRawBufferPointer) throws(KeyOperationFailure) -> SecretBox {
        guard ciphertext.count == blockByteCount else { throw .notDecryptable }
        let plaintext = unsafe withContext({ unsafe EVP_PKEY_decrypt_init($0) }) { context -> SecretBox? in
            var count: Int? = blockByteCount
            let room = unsafe SecretBox(count: blockByteCount) { output in
                var written = output.count
                let start = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
                let bytes = unsafe ciphertext.assumingMemoryBound(to: UInt8.self).baseAddress
                let done = unsafe EVP_PKEY_decrypt(context, start, &written, bytes, ciphertext.count) == 1
                count = done ? written : nil
            }
            return count.map { $0 == room.count ? room : room.prefix($0) }
        }
        guard let plaintext else { throw .notDecryptable }
        return plaintext
    }
}
