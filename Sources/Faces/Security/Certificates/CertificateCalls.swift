public import Foundation
import LatchkeyCertificates

/// Parses a certificate from DER; returns nil if the bytes are not a certificate, or if something follows.
@discardableResult
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    (try? Certificate(der: data.byteArray)).map { SecCertificate($0) }
}

/// Returns the DER bytes of the certificate.
@discardableResult
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { .copying(certificate.certificate.der) }

/// Returns the name to show people: the common name, or else another part of the subject.
@discardableResult
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
    certificate.certificate.summary.map { NSString(string: $0) }
}

/// Returns the common name of the subject.
///
/// - Parameter commonName: receives the common name of the subject; written only on success.
/// - Returns: `errSecInternal` if there is none.
@discardableResult
public func SecCertificateCopyCommonName(
    _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    guard let name = certificate.certificate.commonName else { return errSecInternal }
    unsafe commonName.pointee = NSString(string: name)
    return errSecSuccess
}

/// Returns the RFC 822 names of a certificate.
///
/// - Parameter emailAddresses: receives the addresses: those of the alternative names, then those of the subject.
@discardableResult
public func SecCertificateCopyEmailAddresses(
    _ certificate: SecCertificate, _ emailAddresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    unsafe emailAddresses.pointee = certificate.certificate.emailAddresses.map { NSString(string: $0) } as NSArray
    return errSecSuccess
}

/// Returns the issuer in normalised form, in which equal names have equal bytes: the value of `kSecAttrIssuer`.
@discardableResult
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
    .copying(certificate.certificate.normalisedIssuer)
}

/// Returns the subject in normalised form, in which equal names have equal bytes: the value of `kSecAttrSubject`.
@discardableResult
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
    .copying(certificate.certificate.normalisedSubject)
}

/// Returns the public key; nil if it is neither RSA nor on one of the supported curves.
@discardableResult
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
    certificate.certificate.publicKey.map { SecKey($0) }
}

/// The same as ``SecCertificateCopyKey(_:)``.
@available(*, deprecated, renamed: "SecCertificateCopyKey")
@discardableResult
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate) -> SecKey? {
    SecCertificateCopyKey(certificate)
}

/// Returns the bytes of the serial number, without its header.
@discardableResult
public func SecCertificateCopySerialNumberData(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    .copying(certificate.certificate.serialNumber)
}

/// The same as ``SecCertificateCopySerialNumberData(_:_:)``, in the form of iOS.
@available(*, deprecated, renamed: "SecCertificateCopySerialNumberData")
@discardableResult
public func SecCertificateCopySerialNumber(_ certificate: SecCertificate) -> CFData? {
    SecCertificateCopySerialNumberData(certificate, nil)
}

/// The same as ``SecCertificateCopySerialNumberData(_:_:)``, in the form of macOS.
@available(*, deprecated, renamed: "SecCertificateCopySerialNumberData")
@discardableResult
public func SecCertificateCopySerialNumber(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe SecCertificateCopySerialNumberData(certificate, error)
}

/// Returns the start of the validity period.
@discardableResult
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
    NSDate(timeIntervalSinceReferenceDate: certificate.certificate.notValidBefore)
}

/// Returns the end of the validity period.
@discardableResult
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
    NSDate(timeIntervalSinceReferenceDate: certificate.certificate.notValidAfter)
}
