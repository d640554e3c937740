import LatchkeyAsymmetricKeys
import LatchkeySecretMemory

// The operations of the calls, by the kind of the key.

extension SecKey {
    func signature(over signed: [UInt8], _ algorithm: SignatureAlgorithm) throws(KeyCallFailure) -> [UInt8] {
        try withPrivateKey { key throws(KeyOperationFailure) in try key.sign(signed, algorithm) }
    }

    /// Returns where the signature is right.
    func verify(
        _ signature: [UInt8], over signed: [UInt8], _ algorithm: SignatureAlgorithm
    ) throws(KeyCallFailure) {
        guard case .publicKey(let key) = content else { throw privateVerification(algorithm) }
        do throws(KeyOperationFailure) {
            try key.verify(signature, over: signed, algorithm)
        } catch {
            throw KeyCallFailure(error)
        }
    }

    /// A private RSA key takes the call, as Apple's does, and finds no signature right.
    private func privateVerification(_ algorithm: SignatureAlgorithm) -> KeyCallFailure {
        guard case .privateKey(let key) = content, key.supports(.signature(algorithm), for: .verify) else {
            return KeyCallFailure(.unsupported)
        }
        return KeyCallFailure(
            errSecVerifyFailed, "A private key verifies nothing. Verify with SecKeyCopyPublicKey of it.")
    }

    func encrypted(
        _ plain: UnsafeRawBufferPointer, _ algorithm: EncryptionAlgorithm
    ) throws(KeyCallFailure) -> [UInt8] {
        guard case .publicKey(let key) = content else { throw KeyCallFailure(.unsupported) }
        do throws(KeyOperationFailure) {
            return unsafe try key.encrypt(plain, algorithm)
        } catch {
            throw KeyCallFailure(error)
        }
    }

    func decrypted(_ ciphertext: [UInt8], _ algorithm: EncryptionAlgorithm) throws(KeyCallFailure) -> SecretBox {
        if case .publicKey(let key) = content {
            do throws(KeyOperationFailure) {
                return try key.decrypt(ciphertext, algorithm)
            } catch {
                throw KeyCallFailure(error)
            }
        }
        return try withPrivateKey { key throws(KeyOperationFailure) in
            // A key in the enclave agrees on a secret, and the rest is done here.
            guard let key = key as? PrivateKey else { return try key.decryptECIES(ciphertext, algorithm) }
            return try key.decrypt(ciphertext, algorithm)
        }
    }

    func exchanged(with peer: PublicKey, _ exchange: KeyExchange) throws(KeyCallFailure) -> SecretBox {
        try withPrivateKey { key throws(KeyOperationFailure) in
            try key.exchange(
                with: peer, exchange.algorithm, requestedByteCount: exchange.requestedByteCount,
                sharedInfo: exchange.sharedInfo)
        }
    }

    private func withPrivateKey<R>(
        _ body: (any PrivateKeyOperations) throws(KeyOperationFailure) -> R
    ) throws(KeyCallFailure) -> R {
        switch content {
        case .publicKey:
            throw KeyCallFailure(.unsupported)
        case .privateKey(let key):
            do throws(KeyOperationFailure) {
                return try body(key)
            } catch {
                throw KeyCallFailure(error)
            }
        case .enclaveKey(let key):
            let use = EnclaveKeyUse(key)
            do throws(KeyOperationFailure) {
                return try body(use)
            } catch {
                throw KeyCallFailure(error, refusal: use.refusal)
            }
        }
    }
}
