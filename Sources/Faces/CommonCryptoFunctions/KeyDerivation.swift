package import CommonCrypto
import LatchkeyCryptoMisuse

@c @implementation
package func CCKeyDerivationPBKDF(
    _ algorithm: CCPBKDFAlgorithm, _ password: UnsafePointer<CChar>!, _ passwordLen: Int,
    _ salt: UnsafePointer<UInt8>!, _ saltLen: Int, _ prf: CCPseudoRandomAlgorithm, _ rounds: CUnsignedInt,
    _ derivedKey: UnsafeMutablePointer<UInt8>!, _ derivedKeyLen: Int
) -> CInt {
    guard algorithm == kCCPBKDF2, let function = DerivationUse.PseudoRandomFunction(prf) else { return .parameter }
    guard let password = unsafe password, let derivedKey = unsafe derivedKey, derivedKeyLen != 0, rounds != 0,
        unsafe salt != nil || saltLen == 0
    else { return .parameter }
    // Impossible lengths: the caller's arithmetic went below zero.
    guard passwordLen >= 0, saltLen >= 0, derivedKeyLen > 0 else { return .parameter }
    let saltBytes = unsafe UnsafeRawBufferPointer(start: salt, count: saltLen)
    let isDerived = unsafe KeyDerivation.passwordKey(
        of: UnsafeRawBufferPointer(start: password, count: passwordLen), salt: saltBytes, function.digest,
        rounds: rounds, into: UnsafeMutableRawBufferPointer(start: derivedKey, count: derivedKeyLen))
    guard isDerived else { return .parameter }
    if CryptoWatch.isOn {
        let password = unsafe UnsafeRawBufferPointer(start: password, count: passwordLen)
        CryptoWatch.derives(
            unsafe DerivationUse(function: function, rounds: rounds, salt: saltBytes, password: password))
    }
    return .success
}

extension DerivationUse.PseudoRandomFunction {
    /// Nil for an unknown number.
    init?(_ prf: CCPseudoRandomAlgorithm) {
        switch Int(prf) {
        case kCCPRFHmacAlgSHA1: self = .sha1
        case kCCPRFHmacAlgSHA224: self = .sha224
        case kCCPRFHmacAlgSHA256: self = .sha256
        case kCCPRFHmacAlgSHA384: self = .sha384
        case kCCPRFHmacAlgSHA512: self = .sha512
        default: return nil
        }
    }

    /// Nil for a digest that `CCKeyDerivationPBKDF` does not support.
    init?(_ digest: Digest) {
        switch digest {
        case .sha1: self = .sha1
        case .sha224: self = .sha224
        case .sha256: self = .sha256
        case .sha384: self = .sha384
        case .sha512: self = .sha512
        case .md4, .md5, .ripemd160: return nil
        }
    }

    var digest: Digest {
        switch self {
        case .sha1: .sha1
        case .sha224: .sha224
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }
}
