import LatchkeyCryptoSuite
import LatchkeyEncoding
package import LatchkeySecretMemory

/// Encryption for the owner of an elliptic curve key (Reference 10.3): ephemeral point || ciphertext || tag.
struct ECIES {
    let digest: DigestAlgorithm
    let derivesNonce: Bool
    let kind: KeyKind

    /// Nil for the other algorithms. Standard and cofactor agreement are the same on curves of cofactor 1.
    init?(_ algorithm: EncryptionAlgorithm, _ kind: KeyKind) {
        guard case .ecies(let digest, _, let derivesIV) = algorithm, kind.has(.encryption(algorithm)) else {
            return nil
        }
        self.digest = digest
        derivesNonce = derivesIV
        self.kind = kind
    }

    /// Derives the AES key and the nonce from a shared secret.
    private func keys(
        _ shared: SecretBox, ephemeral: PublicKey, sharedInfo: [UInt8]
    ) throws(KeyOperationFailure) -> (key: SecretBox, nonce: SecretBox) {
        let keyByteCount = kind.contentKeyByteCount
        let derived = try X963.derive(
            shared, digest, sharedInfo: ephemeral.externalRepresentation + sharedInfo,
            byteCount: keyByteCount + (derivesNonce ? ContentCipher.nonceByteCount : 0))
        let nonce = derivesNonce ? derived.slice(keyByteCount..<derived.count) : ContentCipher.zeroNonce
        return (derived.prefix(keyByteCount), nonce)
    }

    func encrypt(
        _ plaintext: UnsafeRawBufferPointer, for recipient: PublicKey, sharedInfo: [UInt8], associatedData: [UInt8]
    ) throws(KeyOperationFailure) -> [UInt8] {
        let ephemeral: PrivateKey
        do throws(KeyFailure) {
            ephemeral = try PrivateKey(generating: kind)
        } catch {
            preconditionFailure("libcrypto makes no key of a curve that it has")
        }
        let shared = try ephemeral.agree(with: recipient)
        let (key, nonce) = try keys(shared, ephemeral: ephemeral.publicKey, sharedInfo: sharedInfo)
        let sealed = try unsafe ContentCipher.seal(plaintext, key, nonce, associatedData)
        return ephemeral.publicKey.externalRepresentation + sealed
    }

    func decrypt(
        _ ciphertext: [UInt8], with owner: some PrivateKeyOperations, sharedInfo: [UInt8], associatedData: [UInt8]
    ) throws(KeyOperationFailure) -> SecretBox {
        guard case .ellipticCurve(let curve) = kind else { throw .unsupported }
        let pointByteCount = curve.pointByteCount
        guard ciphertext.count >= pointByteCount + AESGCM.tagByteCount else { throw .notDecryptable }
        let ephemeral: PublicKey
        do throws(KeyFailure) {
            ephemeral = try PublicKey(point: Array(ciphertext.prefix(pointByteCount)), curve)
        } catch {
            throw .notDecryptable
        }
        let shared = try owner.agree(with: ephemeral)
        let (key, nonce) = try keys(shared, ephemeral: ephemeral, sharedInfo: sharedInfo)
        return unsafe try ciphertext.lend { bytes throws(KeyOperationFailure) in
            let sealed = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropFirst(pointByteCount))
            return try unsafe ContentCipher.open(sealed, key, nonce, associatedData)
        }
    }
}

/// AES-GCM for contents of any length.
enum ContentCipher {
    static let nonceByteCount = 16
    static let zeroNonce = SecretBox(copying: [UInt8](repeating: 0, count: nonceByteCount))
    /// libcrypto counts in 32 bits.
    private static let byteLimit = 1 << 30

    static func seal(
        _ plaintext: UnsafeRawBufferPointer, _ key: SecretBox, _ nonce: SecretBox, _ associatedData: [UInt8]
    ) throws(KeyOperationFailure) -> [UInt8] {
        guard max(plaintext.count, associatedData.count) <= byteLimit else {
            throw .badInput(reason: "more than 1 GiB")
        }
        return unsafe AESGCM.seal(plaintext, key: key, agreedNonce: nonce, associatedData: associatedData)
    }

    static func open(
        _ sealed: UnsafeRawBufferPointer, _ key: SecretBox, _ nonce: SecretBox, _ associatedData: [UInt8]
    ) throws(KeyOperationFailure) -> SecretBox {
        guard max(sealed.count, associatedData.count) <= byteLimit + AESGCM.tagByteCount else {
            throw .badInput(reason: "more than 1 GiB")
        }
        do throws(CryptoFailure) {
            return try unsafe AESGCM.open(sealed, key: key, agreedNonce: nonce, associatedData: associatedData)
        } catch {
            throw .notDecryptable
        }
    }
}

extension PrivateKeyOperations {
    /// Opens the output of ``PublicKey/encrypt(_:_:sharedInfo:associatedData:)`` with an ECIES algorithm.
    package func decryptECIES(
        _ ciphertext: [UInt8], _ algorithm: EncryptionAlgorithm, sharedInfo: [UInt8] = [],
        associatedData: [UInt8]? = nil
    ) throws(KeyOperationFailure) -> SecretBox {
        guard let scheme = ECIES(algorithm, publicKey.kind) else { throw .unsupported }
        return try scheme.decrypt(
            ciphertext, with: self, sharedInfo: sharedInfo, associatedData: associatedData ?? [])
    }
}
