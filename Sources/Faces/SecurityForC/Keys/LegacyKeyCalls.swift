import Foundation
import Security

// The older calls. They are deprecated, as those that they translate to are.

@available(*, deprecated)
@c(SecKeyGeneratePair)
public func secKeyGeneratePair(
    _ parameters: UnsafeRawPointer?, _ publicKey: UnsafeMutablePointer<UnsafeRawPointer?>?,
    _ privateKey: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Int32 {
    status { () throws(WrongObject) in
        var (newPublicKey, newPrivateKey): (SecKey?, SecKey?)
        let code = unsafe SecKeyGeneratePair(try required(parameters), &newPublicKey, &newPrivateKey)
        guard code == errSecSuccess, let newPublicKey, let newPrivateKey else { return code }
        if let publicKey = unsafe publicKey { unsafe publicKey.pointee = outgoing(newPublicKey) }
        if let privateKey = unsafe privateKey { unsafe privateKey.pointee = outgoing(newPrivateKey) }
        return code
    }
}

@available(*, deprecated)
@c(SecKeyRawSign)
public func secKeyRawSign(
    _ key: UnsafeRawPointer?, _ padding: UInt32, _ dataToSign: UnsafePointer<UInt8>?, _ dataToSignLen: Int,
    _ sig: UnsafeMutablePointer<UInt8>?, _ sigLen: UnsafeMutablePointer<Int>?
) -> Int32 {
    status { () throws(WrongObject) in
        unsafe SecKeyRawSign(
            try required(key), SecPadding(rawValue: padding), try bytes(dataToSign, dataToSignLen), dataToSignLen,
            try present(sig), try present(sigLen))
    }
}

@available(*, deprecated)
@c(SecKeyRawVerify)
public func secKeyRawVerify(
    _ key: UnsafeRawPointer?, _ padding: UInt32, _ signedData: UnsafePointer<UInt8>?, _ signedDataLen: Int,
    _ sig: UnsafePointer<UInt8>?, _ sigLen: Int
) -> Int32 {
    status { () throws(WrongObject) in
        unsafe SecKeyRawVerify(
            try required(key), SecPadding(rawValue: padding), try bytes(signedData, signedDataLen), signedDataLen,
            try bytes(sig, sigLen), sigLen)
    }
}

@available(*, deprecated)
@c(SecKeyEncrypt)
public func secKeyEncrypt(
    _ key: UnsafeRawPointer?, _ padding: UInt32, _ plainText: UnsafePointer<UInt8>?, _ plainTextLen: Int,
    _ cipherText: UnsafeMutablePointer<UInt8>?, _ cipherTextLen: UnsafeMutablePointer<Int>?
) -> Int32 {
    status { () throws(WrongObject) in
        unsafe SecKeyEncrypt(
            try required(key), SecPadding(rawValue: padding), try bytes(plainText, plainTextLen), plainTextLen,
            try present(cipherText), try present(cipherTextLen))
    }
}

@available(*, deprecated)
@c(SecKeyDecrypt)
public func secKeyDecrypt(
    _ key: UnsafeRawPointer?, _ padding: UInt32, _ cipherText: UnsafePointer<UInt8>?, _ cipherTextLen: Int,
    _ plainText: UnsafeMutablePointer<UInt8>?, _ plainTextLen: UnsafeMutablePointer<Int>?
) -> Int32 {
    status { () throws(WrongObject) in
        unsafe SecKeyDecrypt(
            try required(key), SecPadding(rawValue: padding), try bytes(cipherText, cipherTextLen), cipherTextLen,
            try present(plainText), try present(plainTextLen))
    }
}

/// The start of bytes; a null pointer may be the start of none.
private func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) throws(WrongObject) -> UnsafePointer<UInt8> {
    if let start = unsafe start { return unsafe start }
    guard count == 0 else { throw WrongObject() }
    return unsafe nothing
}

// Never read.
nonisolated(unsafe) private let nothing = unsafe UnsafePointer(UnsafeMutablePointer<UInt8>.allocate(capacity: 1))
