public import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyDevice
import LatchkeySecretMemory

/// Signs with a private key.
///
/// - Parameters:
///   - dataToSign: the message or its digest, as the algorithm says.
///   - error: filled whenever the result is nil, for the caller to release.
@discardableResult
public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe orError(error) { () throws(KeyCallFailure) in
        .copying(try key.signature(over: dataToSign.byteArray, algorithm.ofSignatures))
    }
}

/// Checks a signature with a public key.
///
/// - Parameters:
///   - signedData: the message or its digest, as the algorithm says.
///   - error: filled whenever the result is false, for the caller to release.
@discardableResult
public func SecKeyVerifySignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
    unsafe orError(error) { () throws(KeyCallFailure) in
        try key.verify(signature.byteArray, over: signedData.byteArray, algorithm.ofSignatures)
        return true
    } ?? false
}

/// Encrypts for the owner of the private key.
///
/// - Parameter error: filled whenever the result is nil, for the caller to release.
@discardableResult
public func SecKeyCreateEncryptedData(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ plaintext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe orError(error) { () throws(KeyCallFailure) in
        let plain = unsafe UnsafeRawBufferPointer(start: plaintext.bytes, count: plaintext.length)
        return unsafe .copying(try key.encrypted(plain, algorithm.ofEncryption))
    }
}

/// Decrypts with a private key. A public RSA key shows what is inside of a signature: without padding the whole block.
///
/// - Parameter error: filled whenever the result is nil, for the caller to release.
@discardableResult
public func SecKeyCreateDecryptedData(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ ciphertext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    CalledFunction.named("SecKeyCreateDecryptedData") {
        unsafe orError(error) { () throws(KeyCallFailure) in
            .copying(try key.decrypted(ciphertext.byteArray, algorithm.ofEncryption))
        }
    }
}

/// The secret that the owners of two keys both get.
///
/// - Parameters:
///   - parameters: for the algorithms that derive: `SecKeyKeyExchangeParameter`.
///   - error: filled whenever the result is nil, for the caller to release.
@discardableResult
public func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey, _ algorithm: SecKeyAlgorithm, _ publicKey: SecKey, _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe orError(error) { () throws(KeyCallFailure) in
        guard case .publicKey(let peer) = publicKey.content else {
            throw KeyCallFailure(errSecParam, "The other side's key must be its public one.")
        }
        let exchange = try KeyExchange(algorithm, KeyDictionary(parameters))
        return .copying(try privateKey.exchanged(with: peer, exchange))
    }
}

extension SecKeyAlgorithm {
    var ofSignatures: SignatureAlgorithm {
        get throws(KeyCallFailure) {
            guard case .signature(let algorithm)? = algorithm else { throw KeyCallFailure(.unsupported) }
            return algorithm
        }
    }

    var ofEncryption: EncryptionAlgorithm {
        get throws(KeyCallFailure) {
            guard case .encryption(let algorithm)? = algorithm else { throw KeyCallFailure(.unsupported) }
            return algorithm
        }
    }
}
