public import Foundation

// What a server says about its certificate beside it. Neither is looked at: nothing is known here to be revoked, and no
// log of certificates is asked for. A policy that requires a positive answer about revocation fails all the same.

/// Takes the answers about revocation that came with a connection. They are not looked at; see
/// ``SecPolicyCreateRevocation(_:)``.
///
/// - Parameter responseData: the DER of an answer, or an array of such; nil takes them back.
/// - Returns: `errSecParam` for other objects.
@discardableResult
public func SecTrustSetOCSPResponse(_ trust: SecTrust, _ responseData: CFTypeRef?) -> OSStatus {
    guard let responseData else { return errSecSuccess }
    return objects(responseData, as: NSData.self) == nil ? errSecParam : errSecSuccess
}

/// Takes the timestamps of logs that came with a connection. They are not looked at.
///
/// - Parameter sctArray: an array of data; nil takes them back.
/// - Returns: `errSecParam` for other objects in it.
@discardableResult
public func SecTrustSetSignedCertificateTimestamps(_ trust: SecTrust, _ sctArray: CFArray?) -> OSStatus {
    guard let sctArray else { return errSecSuccess }
    return objects(sctArray, as: NSData.self) == nil ? errSecParam : errSecSuccess
}
