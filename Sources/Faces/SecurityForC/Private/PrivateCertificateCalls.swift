import Foundation
import LatchkeyCertificates
import LatchkeyCryptoSuite
import Security

// Private accessors of certificates. `SecurityPriv.h` declares them.

@c(SecCertificateCreateWithBytes)
public func secCertificateCreateWithBytes(
    _ allocator: UnsafeRawPointer?, _ bytes: UnsafePointer<UInt8>?, _ length: Int
) -> UnsafeRawPointer? {
    guard let bytes = unsafe bytes, length > 0 else { return nil }
    return unsafe object { SecCertificateCreateWithData(nil, unsafe NSData(bytes: bytes, length: length)) }
}

@c(SecCertificateCopyIssuerSequence)
public func secCertificateCopyIssuerSequence(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe bytes(of: certificate) { $0.issuer }
}

@c(SecCertificateCopySubjectSequence)
public func secCertificateCopySubjectSequence(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe bytes(of: certificate) { $0.subject }
}

@c(SecCertificateCopySHA256Digest)
public func secCertificateCopySHA256Digest(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe bytes(of: certificate) { sha256($0.der) }
}

@c(SecCertificateCopyPublicKeySHA1Digest)
public func secCertificateCopyPublicKeySHA1Digest(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe bytes(of: certificate) { $0.publicKeyDigest }
}

/// Null if there are none.
@c(SecCertificateCopyRFC822Names)
public func secCertificateCopyRFC822Names(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in
        let addresses = unsafe try required(certificate, as: SecCertificate.self).certificate.emailAddresses
        return addresses.isEmpty ? nil : addresses.map { NSString(string: $0) } as NSArray
    }
}

@c(SecCertificateVersion)
public func secCertificateVersion(_ certificate: UnsafeRawPointer?) -> Int {
    (unsafe try? required(certificate, as: SecCertificate.self)).map { $0.certificate.version + 1 } ?? 0
}

@c(SecCertificateNotValidBefore)
public func secCertificateNotValidBefore(_ certificate: UnsafeRawPointer?) -> Double {
    (unsafe try? required(certificate, as: SecCertificate.self)).map { $0.certificate.notValidBefore } ?? 0
}

@c(SecCertificateNotValidAfter)
public func secCertificateNotValidAfter(_ certificate: UnsafeRawPointer?) -> Double {
    (unsafe try? required(certificate, as: SecCertificate.self)).map { $0.certificate.notValidAfter } ?? 0
}

@c(SecCertificateIsValid)
public func secCertificateIsValid(_ certificate: UnsafeRawPointer?, _ verifyTime: Double) -> Bool {
    guard let certificate = unsafe try? required(certificate, as: SecCertificate.self).certificate else { return false }
    return certificate.notValidBefore <= verifyTime && verifyTime <= certificate.notValidAfter
}

@c(SecCertificateIsSelfSigned)
public func secCertificateIsSelfSigned(
    _ certificate: UnsafeRawPointer?, _ isSelfSigned: UnsafeMutablePointer<UInt8>?
) -> Int32 {
    status { () throws(WrongObject) in
        let isSelfSigned = unsafe try present(isSelfSigned)
        unsafe isSelfSigned.pointee = UInt8(try required(certificate, as: SecCertificate.self).certificate.isSelfSigned)
        return errSecSuccess
    }
}

private func bytes(of certificate: UnsafeRawPointer?, _ part: (Certificate) -> [UInt8]) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in
        NSData(data: Data(part(unsafe try required(certificate, as: SecCertificate.self).certificate)))
    }
}
