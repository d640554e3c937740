public import Foundation
import LatchkeyCertificates

/// Returns the policy that requires only a valid chain.
@discardableResult
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.basicX509) }

/// Returns a policy for the certificates of TLS.
///
/// - Parameters:
///   - server: whether the certificate is a server's; else it is a client's.
///   - hostname: the name or address that the certificate must be for; nil allows any.
@discardableResult
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(.ssl(isServer: server, hostName: hostname?.wellFormed))
}

/// Returns the policy that checks whether certificates were revoked. Latchkey does not use the network: with
/// `kSecRevocationRequirePositiveResponse` no certificate passes, without it the policy changes nothing.
///
/// - Returns: nil without any flag.
@discardableResult
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
    revocationFlags == 0 ? nil : SecPolicy(.revocation(flags: revocationFlags))
}

/// Returns the policy of an identifier.
///
/// - Parameters:
///   - policyIdentifier: `kSecPolicyAppleX509Basic`, `kSecPolicyAppleSSL`, `kSecPolicyAppleSSLServer`,
///     `kSecPolicyAppleSSLClient` or `kSecPolicyAppleRevocation`.
///   - properties: `kSecPolicyName` for all of SSL, `kSecPolicyClient` for `kSecPolicyAppleSSL` (the two others say it
///     themselves), `kSecPolicyRevocationFlags` for revocation.
/// - Returns: nil for every other identifier, so that a certificate is never held to less than was requested, and for
///   properties of a wrong type.
@discardableResult
public func SecPolicyCreateWithProperties(_ policyIdentifier: CFTypeRef, _ properties: CFDictionary?) -> SecPolicy? {
    guard let identifier = policyIdentifier as? NSString, let given = PolicyProperties(properties) else { return nil }
    switch identifier {
    case unsafe kSecPolicyAppleX509Basic:
        return SecPolicyCreateBasicX509()
    case unsafe kSecPolicyAppleSSL:
        return SecPolicyCreateSSL(!given.isClient, given.name)
    case unsafe kSecPolicyAppleSSLServer:
        return SecPolicyCreateSSL(true, given.name)
    case unsafe kSecPolicyAppleSSLClient:
        return SecPolicyCreateSSL(false, given.name)
    case unsafe kSecPolicyAppleRevocation:
        return SecPolicyCreateRevocation(given.revocationFlags ?? kSecRevocationUseAnyAvailableMethod)
    default:
        OncePerProcessLog.ofThisProcess.say("Security: the policy \(identifier.wellFormed) is not supported.")
        return nil
    }
}

/// Returns identifier and properties of a policy, as ``SecPolicyCreateWithProperties(_:_:)`` takes them.
@discardableResult
public func SecPolicyCopyProperties(_ policyRef: SecPolicy) -> CFDictionary? {
    var properties: [CFString: Any] = [:]
    switch policyRef.policy {
    case .basicX509:
        unsafe properties[kSecPolicyOid] = kSecPolicyAppleX509Basic
    case .ssl(let isServer, let hostName):
        unsafe properties[kSecPolicyOid] = kSecPolicyAppleSSL
        if let hostName { unsafe properties[kSecPolicyName] = NSString(string: hostName) }
        if !isServer { unsafe properties[kSecPolicyClient] = kCFBooleanTrue }
    case .revocation(let flags):
        unsafe properties[kSecPolicyOid] = kSecPolicyAppleRevocation
        unsafe properties[kSecPolicyRevocationFlags] = NSNumber(value: flags)
    }
    return properties as NSDictionary
}

/// The known properties of a policy; others are ignored.
private struct PolicyProperties {
    var name: NSString?
    var isClient = false
    var revocationFlags: CFOptionFlags?

    /// Nil for a property of a wrong type.
    init?(_ dictionary: NSDictionary?) {
        guard let dictionary else { return }
        var isFitting = true
        ObjectRuntime.forEach(in: dictionary) { key, value in
            switch key as? NSString {
            case unsafe kSecPolicyName:
                name = value as? NSString
                isFitting = isFitting && name != nil
            case unsafe kSecPolicyClient:
                isFitting = isFitting && value is NSNumber
                isClient = (value as? NSNumber)?.boolValue ?? false
            case unsafe kSecPolicyRevocationFlags:
                revocationFlags = (value as? NSNumber)?.uintValue
                isFitting = isFitting && revocationFlags != nil
            default: break
            }
        }
        guard isFitting else { return nil }
    }
}
