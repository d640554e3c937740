import LatchkeyAsymmetricKeys
import LatchkeyDevice
import LatchkeySecretMemory

// The older calls, whose results go where the program says.

/// Signs a digest with a private key.
///
/// - Parameters:
///   - padding: RSA: how the digest is prepared. Elliptic curves: `sigRaw` for the two numbers alone, else ASN.1.
///   - sig: where the signature goes.
///   - sigLen: how many bytes there are, then how many the signature has.
@available(*, deprecated, message: "Use SecKeyCreateSignature.")
@discardableResult
public func SecKeyRawSign(
    _ key: SecKey, _ padding: SecPadding, _ dataToSign: UnsafePointer<UInt8>, _ dataToSignLen: Int,
    _ sig: UnsafeMutablePointer<UInt8>, _ sigLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    CalledFunction.named("SecKeyRawSign") {
        status { () throws(KeyCallFailure) in
            let digest = unsafe try bytes(dataToSign, dataToSignLen)
            let signature = try key.signature(over: digest, padding.signature(of: key))
            unsafe try signature.withUnsafeBytes { unsafe place($0, in: sig, sigLen) }.get()
        }
    }
}

/// Checks the signature of a digest: 0, or -9809.
@available(*, deprecated, message: "Use SecKeyVerifySignature.")
@discardableResult
public func SecKeyRawVerify(
    _ key: SecKey, _ padding: SecPadding, _ signedData: UnsafePointer<UInt8>, _ signedDataLen: Int,
    _ sig: UnsafePointer<UInt8>, _ sigLen: Int
) -> OSStatus {
    status { () throws(KeyCallFailure) in
        let digest = unsafe try bytes(signedData, signedDataLen)
        let signature = unsafe try bytes(sig, sigLen)
        do throws(KeyCallFailure) {
            try key.verify(signature, over: digest, padding.signature(of: key))
        } catch {
            throw error.code == errSecVerifyFailed ? KeyCallFailure(errSSLCrypto, error.reason) : error
        }
    }
}

/// Encrypts with an RSA key.
///
/// - Parameters:
///   - cipherText: where the result goes.
///   - cipherTextLen: how many bytes there are, then how many the result has.
@available(*, deprecated, message: "Use SecKeyCreateEncryptedData.")
@discardableResult
public func SecKeyEncrypt(
    _ key: SecKey, _ padding: SecPadding, _ plainText: UnsafePointer<UInt8>, _ plainTextLen: Int,
    _ cipherText: UnsafeMutablePointer<UInt8>, _ cipherTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    status { () throws(KeyCallFailure) in
        guard plainTextLen >= 0 else { throw .negativeLength }
        let plain = unsafe UnsafeRawBufferPointer(start: plainText, count: plainTextLen)
        let encrypted = unsafe try key.encrypted(plain, padding.encryption(of: key))
        unsafe try encrypted.withUnsafeBytes { unsafe place($0, in: cipherText, cipherTextLen) }.get()
    }
}

/// Decrypts with an RSA key; without padding the zeros in front are left out.
///
/// - Parameters:
///   - plainText: where the result goes.
///   - plainTextLen: how many bytes there are, then how many the result has.
@available(*, deprecated, message: "Use SecKeyCreateDecryptedData.")
@discardableResult
public func SecKeyDecrypt(
    _ key: SecKey, _ padding: SecPadding, _ cipherText: UnsafePointer<UInt8>, _ cipherTextLen: Int,
    _ plainText: UnsafeMutablePointer<UInt8>, _ plainTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    status { () throws(KeyCallFailure) in
        let encrypted = unsafe try bytes(cipherText, cipherTextLen)
        let plain = try key.decrypted(encrypted, padding.encryption(of: key))
        unsafe try plain.withBytes { bytes in
            let zeros = padding.isEmpty ? unsafe bytes.prefix { $0 == 0 }.count : 0
            return unsafe place(UnsafeRawBufferPointer(rebasing: bytes[zeros...]), in: plainText, plainTextLen)
        }.get()
    }
}

private func status(_ body: () throws(KeyCallFailure) -> Void) -> OSStatus {
    do throws(KeyCallFailure) {
        try body()
        return errSecSuccess
    } catch {
        return error.code
    }
}

private func bytes(_ start: UnsafePointer<UInt8>, _ count: Int) throws(KeyCallFailure) -> [UInt8] {
    guard count >= 0 else { throw .negativeLength }
    return unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
}

/// Puts a result where the program wants it, if there is room.
private func place(
    _ result: UnsafeRawBufferPointer, in start: UnsafeMutablePointer<UInt8>, _ count: UnsafeMutablePointer<Int>
) -> Result<Void, KeyCallFailure> {
    guard unsafe count.pointee >= result.count else {
        return .failure(KeyCallFailure(errSecParam, "There is too little room for the result."))
    }
    unsafe UnsafeMutableRawBufferPointer(start: start, count: result.count).copyMemory(from: result)
    unsafe count.pointee = result.count
    return .success(())
}

extension KeyCallFailure {
    fileprivate static let negativeLength = KeyCallFailure(errSecParam, "A length is negative.")
}
