import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCertificates

/// Returns the certificate of an identity.
///
/// - Parameter certificateRef: receives the certificate.
@discardableResult
public func SecIdentityCopyCertificate(
    _ identityRef: SecIdentity, _ certificateRef: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    unsafe certificateRef.pointee = identityRef.certificate
    return errSecSuccess
}

/// Returns the private key of an identity.
///
/// - Parameter privateKeyRef: receives the private key.
@discardableResult
public func SecIdentityCopyPrivateKey(
    _ identityRef: SecIdentity, _ privateKeyRef: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
    unsafe privateKeyRef.pointee = identityRef.key
    return errSecSuccess
}

/// Finds the private key of a certificate in the keychain.
///
/// - Parameters:
///   - keychainOrArray: ignored: there is one keychain.
///   - identityRef: receives the identity; written only on success.
/// - Returns: `errSecItemNotFound` if the program sees no such key.
@discardableResult
public func SecIdentityCreateWithCertificate(
    _ keychainOrArray: CFTypeRef?, _ certificateRef: SecCertificate, _ identityRef: UnsafeMutablePointer<SecIdentity?>
) -> OSStatus {
    let query: NSDictionary = unsafe [
        kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
        kSecAttrApplicationLabel: NSData.copying(certificateRef.certificate.publicKeyDigest),
        kSecReturnRef: kCFBooleanTrue as Any,
    ]
    var found: CFTypeRef?
    let status = unsafe SecItemCopyMatching(query, &found)
    guard status == errSecSuccess else { return status }
    guard let key = found as? SecKey else { return errSecItemNotFound }
    unsafe identityRef.pointee = SecIdentity(certificate: certificateRef, key: key)
    return errSecSuccess
}

/// Makes an identity of a certificate and its private key.
///
/// - Returns: nil if the key is not the certificate's.
@discardableResult
public func SecIdentityCreate(
    _ allocator: CFAllocator?, _ certificate: SecCertificate, _ privateKey: SecKey
) -> SecIdentity? {
    guard privateKey.isPrivate, privateKey.publicKey == certificate.certificate.publicKey else { return nil }
    return SecIdentity(certificate: certificate, key: privateKey)
}
