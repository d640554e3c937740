public import Foundation

/// Creates a trust.
///
/// - Parameters:
///   - certificates: the certificate to evaluate, or an array of it and of others that may help to build its chain.
///   - policies: a policy or an array of them, of which each must be met; nil: basic X.509.
///   - trust: receives the trust; written only on success.
/// - Returns: `errSecParam` for other objects and for empty arrays.
@discardableResult
public func SecTrustCreateWithCertificates(
    _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
    guard let certificates = objects(certificates, as: SecCertificate.self), !certificates.isEmpty,
        let policies = policies.map({ objects($0, as: SecPolicy.self) }) ?? [SecPolicyCreateBasicX509()],
        !policies.isEmpty
    else { return errSecParam }
    unsafe trust.pointee = SecTrust(certificates: certificates, policies: policies)
    return errSecSuccess
}

/// Sets the policies for the certificate: each one must be met.
///
/// - Parameter policies: a policy or an array of them.
/// - Returns: `errSecParam` for other objects and for an empty array.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
    guard let policies = objects(policies, as: SecPolicy.self), !policies.isEmpty else { return errSecParam }
    trust.set { $0.policies = policies }
    return errSecSuccess
}

/// Returns the policies for the certificate.
///
/// - Parameter policies: receives the policies.
@discardableResult
public func SecTrustCopyPolicies(_ trust: SecTrust, _ policies: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    unsafe policies.pointee = trust.settings.policies as NSArray
    return errSecSuccess
}

/// Sets the anchors. The system's anchors no longer count, until ``SecTrustSetAnchorCertificatesOnly(_:_:)`` says so.
///
/// - Parameter anchorCertificates: trusted certificates, self-signed or not; nil restores the system's anchors.
/// - Returns: `errSecParam` for an array with other objects.
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus {
    guard let given = anchorCertificates else {
        trust.set {
            $0.anchors = nil
            $0.usesOwnAnchorsOnly = false
        }
        return errSecSuccess
    }
    guard let anchors = objects(given, as: SecCertificate.self) else { return errSecParam }
    trust.set {
        $0.anchors = anchors
        $0.usesOwnAnchorsOnly = true
    }
    return errSecSuccess
}

/// Sets whether the system's anchors are ignored beside those that were set.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
    trust.set { $0.usesOwnAnchorsOnly = anchorCertificatesOnly }
    return errSecSuccess
}

/// Returns the anchors that were set.
///
/// - Parameter anchors: receives the anchors that were set; nil if there are none.
@discardableResult
public func SecTrustCopyCustomAnchorCertificates(
    _ trust: SecTrust, _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    unsafe anchors.pointee = trust.settings.anchors.map { $0 as NSArray }
    return errSecSuccess
}

/// Sets the time at which the certificates must be valid; by default the time of evaluation.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus {
    let date = verifyDate.timeIntervalSinceReferenceDate
    guard date.isFinite else { return errSecParam }
    trust.set { $0.date = date }
    return errSecSuccess
}

/// Returns the time that was set, else now; in seconds since 2001.
@discardableResult
public func SecTrustGetVerifyTime(_ trust: SecTrust) -> CFAbsoluteTime {
    trust.settings.date ?? CFAbsoluteTimeGetCurrent()
}

/// Only stores the value: nothing is fetched from a network, allowed or not.
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus {
    trust.set { $0.allowsNetworkFetch = allowFetch }
    return errSecSuccess
}

/// Returns the value of ``SecTrustSetNetworkFetchAllowed(_:_:)``; true by default.
@discardableResult
public func SecTrustGetNetworkFetchAllowed(
    _ trust: SecTrust, _ allowFetch: UnsafeMutablePointer<DarwinBoolean>
) -> OSStatus {
    unsafe allowFetch.pointee = DarwinBoolean(trust.settings.allowsNetworkFetch)
    return errSecSuccess
}

/// Returns an object, or the objects of an array; nil if one is of another class.
func objects<Object: NSObject>(_ given: CFTypeRef, as class: Object.Type) -> [Object]? {
    guard let array = given as? NSArray else { return (given as? Object).map { [$0] } }
    var objects: [Object] = []
    var areFitting = true
    ObjectRuntime.forEach(in: array) { element in
        guard let object = element as? Object else {
            areFitting = false
            return
        }
        objects.append(object)
    }
    return areFitting ? objects : nil
}
