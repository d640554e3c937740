import LatchkeyCryptoSuite
import LatchkeyEncoding
package import LatchkeySecretMemory

extension PublicKey {
    /// - Parameters:
    ///   - sharedInfo: for ECIES: input of the derivation after the ephemeral key.
    ///   - associatedData: authenticated beside an AES-GCM content; nil for the usual one.
    package func encrypt(
        _ plaintext: UnsafeRawBufferPointer, _ algorithm: EncryptionAlgorithm, sharedInfo: [UInt8] = [],
        associatedData: [UInt8]? = nil
    ) throws(KeyOperationFailure) -> [UInt8] {
        guard kind.has(.encryption(algorithm)) else { throw .unsupported }
        if let limit = algorithm.plaintextLimit(rsaBlock: kind.blockByteCount), plaintext.count > limit {
            throw .badInput(reason: "\(plaintext.count) bytes, but the key takes at most \(limit)")
        }
        switch algorithm {
        case .rsaRaw, .rsaPKCS1, .rsaOAEP:
            return try unsafe RSAOperation(handle, algorithm).encrypt(plaintext)
        case .rsaOAEPAESGCM(let digest):
            let key = unsafe SecretBox(count: kind.contentKeyByteCount) { unsafe SystemEntropy().fill($0) }
            let wrapped = try unsafe key.withBytes { bytes throws(KeyOperationFailure) in
                try unsafe RSAOperation(handle, .oaep(digest)).encrypt(bytes)
            }
            let sealed = try unsafe ContentCipher.seal(
                plaintext, key, ContentCipher.zeroNonce, associatedData ?? externalRepresentation)
            return wrapped + sealed
        case .ecies:
            guard let scheme = ECIES(algorithm, kind) else { throw .unsupported }
            return try unsafe scheme.encrypt(
                plaintext, for: self, sharedInfo: sharedInfo, associatedData: associatedData ?? [])
        }
    }
}

extension PrivateKey {
    package func decrypt(
        _ ciphertext: [UInt8], _ algorithm: EncryptionAlgorithm, sharedInfo: [UInt8] = [],
        associatedData: [UInt8]? = nil
    ) throws(KeyOperationFailure) -> SecretBox {
        guard publicKey.kind.has(.encryption(algorithm)) else { throw .unsupported }
        let block = publicKey.kind.blockByteCount
        switch algorithm {
        case .rsaRaw, .rsaPKCS1, .rsaOAEP:
            var ciphertext = ciphertext
            if algorithm == .rsaRaw {
                guard ciphertext.count <= block else {
                    throw .badInput(reason: "\(ciphertext.count) bytes, but the key takes at most \(block)")
                }
                ciphertext.insert(contentsOf: repeatElement(0, count: block - ciphertext.count), at: 0)
            }
            return unsafe try ciphertext.lend { bytes throws(KeyOperationFailure) in
                try unsafe RSAOperation(handle, algorithm).decrypt(bytes)
            }
        case .rsaOAEPAESGCM(let digest):
            guard ciphertext.count >= block + AESGCM.tagByteCount else { throw .notDecryptable }
            return unsafe try ciphertext.lend { bytes throws(KeyOperationFailure) in
                let wrapped = unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(block))
                let key = try unsafe RSAOperation(handle, .oaep(digest)).decrypt(wrapped)
                guard key.count == publicKey.kind.contentKeyByteCount else { throw .notDecryptable }
                let sealed = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropFirst(block))
                return try unsafe ContentCipher.open(
                    sealed, key, ContentCipher.zeroNonce, associatedData ?? publicKey.externalRepresentation)
            }
        case .ecies:
            return try decryptECIES(ciphertext, algorithm, sharedInfo: sharedInfo, associatedData: associatedData)
        }
    }
}

extension RSAOperation {
    /// The algorithms of RSA alone.
    fileprivate init(_ handle: KeyHandle, _ algorithm: EncryptionAlgorithm) throws(KeyOperationFailure) {
        switch algorithm {
        case .rsaRaw: self.init(handle, .none)
        case .rsaPKCS1: self.init(handle, .pkcs1)
        case .rsaOAEP(let digest): self.init(handle, .oaep(digest))
        case .rsaOAEPAESGCM, .ecies: throw .unsupported
        }
    }
}
