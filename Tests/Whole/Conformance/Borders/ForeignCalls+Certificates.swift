import Foundation
import LatchkeySecurityForC
import Security

// As in ForeignCalls.swift, for certificates and what goes with them.

private var isForeign: Bool { Border.current == .c }

func SecCertificateCreateWithData(
    _ allocator: CFAllocator?, _ data: CFData
) -> SecCertificate? {
    guard isForeign else { return Security.SecCertificateCreateWithData(allocator, data) }
    return foreign(data) { taken(secCertificateCreateWithData(nil, $0[0])) }
}

func SecCertificateCopyData(
    _ certificate: SecCertificate
) -> CFData {
    guard isForeign else { return Security.SecCertificateCopyData(certificate) }
    return foreign(certificate) { taken(secCertificateCopyData($0[0])) } ?? NSData()
}

func SecCertificateCopyKey(
    _ certificate: SecCertificate
) -> SecKey? {
    guard isForeign else { return Security.SecCertificateCopyKey(certificate) }
    return foreign(certificate) { taken(secCertificateCopyKey($0[0])) }
}

func SecCertificateCopyNormalizedIssuerSequence(
    _ certificate: SecCertificate
) -> CFData? {
    guard isForeign else { return Security.SecCertificateCopyNormalizedIssuerSequence(certificate) }
    return foreign(certificate) { taken(secCertificateCopyNormalizedIssuerSequence($0[0])) }
}

func SecCertificateCopyNormalizedSubjectSequence(
    _ certificate: SecCertificate
) -> CFData? {
    guard isForeign else { return Security.SecCertificateCopyNormalizedSubjectSequence(certificate) }
    return foreign(certificate) { taken(secCertificateCopyNormalizedSubjectSequence($0[0])) }
}

func SecCertificateCopySerialNumberData(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    guard isForeign else { return Security.SecCertificateCopySerialNumberData(certificate, error) }
    return foreign(certificate) { objects in
        failing(error) { taken(secCertificateCopySerialNumberData(objects[0], $0)) }
    }
}

func SecPolicyCreateBasicX509() -> SecPolicy {
    guard isForeign else { return Security.SecPolicyCreateBasicX509() }
    return taken(secPolicyCreateBasicX509()) ?? Security.SecPolicyCreateBasicX509()
}

func SecIdentityCopyCertificate(
    _ identity: SecIdentity, _ certificate: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    guard isForeign else { return Security.SecIdentityCopyCertificate(identity, certificate) }
    return foreign(identity) { objects in filling(certificate) { secIdentityCopyCertificate(objects[0], $0) } }
}

func SecIdentityCopyPrivateKey(
    _ identity: SecIdentity, _ key: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
    guard isForeign else { return Security.SecIdentityCopyPrivateKey(identity, key) }
    return foreign(identity) { objects in filling(key) { secIdentityCopyPrivateKey(objects[0], $0) } }
}

func SecPKCS12Import(
    _ data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    guard isForeign else { return Security.SecPKCS12Import(data, options, items) }
    return foreign(data, options) { objects in filling(items) { secPKCS12Import(objects[0], objects[1], $0) } }
}
