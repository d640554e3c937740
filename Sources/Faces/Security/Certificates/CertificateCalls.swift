public import Foundation
import LatchkeyCertificates

/// The certificate of DER bytes; nil if they are none, or if something follows.
@discardableResult
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    (try? Certificate(der: data.byteArray)).map { SecCertificate($0) }
}

/// The bytes that it was made of.
@discardableResult
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { .copying(certificate.certificate.der) }

/// What to show people for it: the common name, or else another part of its subject.
@discardableResult
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
    certificate.certificate.summary.map { NSString(string: $0) }
}

/// The common name of the subject.
///
/// - Parameter commonName: gets the common name of the subject; written only on success.
/// - Returns: `errSecInternal` if there is none.
@discardableResult
public func SecCertificateCopyCommonName(
    _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    guard let name = certificate.certificate.commonName else { return errSecInternal }
    unsafe commonName.pointee = NSString(string: name)
    return errSecSuccess
}

/// The RFC 822 names of a certificate.
///
/// - Parameter emailAddresses: gets the addresses: those of the alternative names, then those of the subject.
@discardableResult
public func SecCertificateCopyEmailAddresses(
    _ certificate: SecCertificate, _ emailAddresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    unsafe emailAddresses.pointee = certificate.certificate.emailAddresses.map { NSString(string: $0) } as NSArray
    return errSecSuccess
}

/// The issuer in the form in which equal names have equal bytes: what `kSecAttrIssuer` holds.
@discardableResult
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
    .copying(certificate.certificate.normalisedIssuer)
}

/// The subject in the form in which equal names have equal bytes: what `kSecAttrSubject` holds.
@discardableResult
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
    .copying(certificate.certificate.normalisedSubject)
}

/// The public key; nil if it is neither RSA nor one of the curves that keys can have here.
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

/// The bytes of the serial number, without its header.
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

/// The first moment at which it is valid.
@discardableResult
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
    NSDate(timeIntervalSinceReferenceDate: certificate.certificate.notValidBefore)
}

/// The last moment at which it is valid.
@discardableResult
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
    NSDate(timeIntervalSinceReferenceDate: certificate.certificate.notValidAfter)
}
