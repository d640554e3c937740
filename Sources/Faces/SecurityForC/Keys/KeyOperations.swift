import Foundation
import Security

@c(SecKeyCreateSignature)
public func secKeyCreateSignature(
    _ key: UnsafeRawPointer?, _ algorithm: UnsafeRawPointer?, _ dataToSign: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe object(error) { slot throws(WrongObject) in
        unsafe SecKeyCreateSignature(try required(key), try keyAlgorithm(algorithm), try required(dataToSign), slot)
    }
}

@c(SecKeyVerifySignature)
public func secKeyVerifySignature(
    _ key: UnsafeRawPointer?, _ algorithm: UnsafeRawPointer?, _ signedData: UnsafeRawPointer?,
    _ signature: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UInt8 {
    let isSigned = unsafe failable(error) { slot throws(WrongObject) in
        unsafe SecKeyVerifySignature(
            try required(key), try keyAlgorithm(algorithm), try required(signedData), try required(signature), slot)
    }
    return UInt8(isSigned ?? false)
}

@c(SecKeyCreateEncryptedData)
public func secKeyCreateEncryptedData(
    _ key: UnsafeRawPointer?, _ algorithm: UnsafeRawPointer?, _ plaintext: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe object(error) { slot throws(WrongObject) in
        unsafe SecKeyCreateEncryptedData(try required(key), try keyAlgorithm(algorithm), try required(plaintext), slot)
    }
}

@c(SecKeyCreateDecryptedData)
public func secKeyCreateDecryptedData(
    _ key: UnsafeRawPointer?, _ algorithm: UnsafeRawPointer?, _ ciphertext: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe object(error) { slot throws(WrongObject) in
        unsafe SecKeyCreateDecryptedData(
            try required(key), try keyAlgorithm(algorithm), try required(ciphertext), slot)
    }
}

@c(SecKeyCopyKeyExchangeResult)
public func secKeyCopyKeyExchangeResult(
    _ privateKey: UnsafeRawPointer?, _ algorithm: UnsafeRawPointer?, _ publicKey: UnsafeRawPointer?,
    _ parameters: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe object(error) { slot throws(WrongObject) in
        unsafe SecKeyCopyKeyExchangeResult(
            try required(privateKey), try keyAlgorithm(algorithm), try required(publicKey), try required(parameters),
            slot)
    }
}
