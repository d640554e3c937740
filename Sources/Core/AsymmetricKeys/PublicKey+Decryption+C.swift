import LatchkeyCryptoSuite
import LatchkeyEncoding
package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

extension PublicKey {
    /// Applies the public RSA operation to a block. The result is the padded content of a signature, or content that
    /// was padded for encryption. It is not secret.
    ///
    /// - Returns: without padding the whole block; else its content.
    package func decrypt(
        _ ciphertext: [UInt8], _ algorithm: EncryptionAlgorithm
    ) throws(KeyOperationFailure) -> SecretBox {
        guard supports(.encryption(algorithm), for: .decrypt) else { throw .unsupported }
        let size = kind.blockByteCount
        guard ciphertext.count <= size else {
            throw .badInput(reason: "\(ciphertext.count) bytes, but the key takes at most \(size)")
        }
        let block = unsafe try ciphertext.lend { bytes throws(KeyOperationFailure) in
            try unsafe RSAOperation(handle, .none).encrypt(bytes)
        }
        guard let content = Self.content(of: block, algorithm) else {
            ERR_clear_error()
            throw .notDecryptable
        }
        return unsafe SecretBox(count: content.count) { unsafe $0.copyBytes(from: content) }
    }

    /// Removes the padding; nil if the block does not have it.
    private static func content(of block: [UInt8], _ algorithm: EncryptionAlgorithm) -> [UInt8]? {
        var content = [UInt8](repeating: 0, count: block.count)
        let size = Int32(block.count)
        // The padding begins with a zero, which these functions expect to be removed.
        let padded = block.dropFirst()
        let count: Int32
        switch algorithm {
        case .rsaRaw: return block
        case .rsaPKCS1 where block.first == 0:
            count = unsafe padded.withUnsafeBufferPointer { bytes in
                unsafe RSA_padding_check_PKCS1_type_2(&content, size, bytes.baseAddress, size - 1, size)
            }
        case .rsaOAEP(let digest) where block.first == 0:
            count = unsafe padded.withUnsafeBufferPointer { bytes in
                unsafe RSA_padding_check_PKCS1_OAEP_mgf1(
                    &content, size, bytes.baseAddress, size - 1, size, nil, 0, digest.implementation,
                    digest.implementation)
            }
        default: return nil
        }
        return count < 0 ? nil : Array(content.prefix(Int(count)))
    }
}
