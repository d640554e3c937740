public import Foundation

// A server's evidence about its certificate. Latchkey ignores it: it knows no revocations and contacts no certificate
// logs. A policy that requires a positive response about revocation still fails.

/// Accepts and ignores the revocation responses that came with a connection; see ``SecPolicyCreateRevocation(_:)``.
///
/// - Parameter responseData: the DER of a response, or an array of them; nil removes them.
/// - Returns: `errSecParam` for other objects.
@discardableResult
public func SecTrustSetOCSPResponse(_ trust: SecTrust, _ responseData: CFTypeRef?) -> OSStatus {
    guard let responseData else { return errSecSuccess }
    return objects(responseData, as: NSData.self) == nil ? errSecParam : errSecSuccess
}

/// Accepts and ignores the log timestamps that came with a connection.
///
/// - Parameter sctArray: an array of data; nil removes them.
/// - Returns: `errSecParam` for other objects in it.
@discardableResult
public func SecTrustSetSignedCertificateTimestamps(_ trust: SecTrust, _ sctArray: CFArray?) -> OSStatus {
    guard let sctArray else { return errSecSuccess }
    return objects(sctArray, as: NSData.self) == nil ? errSecParam : errSecSuccess
}
