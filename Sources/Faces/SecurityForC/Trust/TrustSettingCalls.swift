import Foundation
import Security

@c(SecTrustCreateWithCertificates)
public func secTrustCreateWithCertificates(
    _ certificates: UnsafeRawPointer?, _ policies: UnsafeRawPointer?, _ trust: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Int32 {
    unsafe filling(trust) { slot throws(WrongObject) in
        unsafe SecTrustCreateWithCertificates(try required(certificates), try optional(policies), slot)
    }
}

@c(SecTrustSetPolicies)
public func secTrustSetPolicies(_ trust: UnsafeRawPointer?, _ policies: UnsafeRawPointer?) -> Int32 {
    status { () throws(WrongObject) in SecTrustSetPolicies(unsafe try required(trust), unsafe try required(policies)) }
}

@c(SecTrustCopyPolicies)
public func secTrustCopyPolicies(
    _ trust: UnsafeRawPointer?, _ policies: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Int32 {
    unsafe filling(policies) { slot throws(WrongObject) in unsafe SecTrustCopyPolicies(try required(trust), slot) }
}

@c(SecTrustSetAnchorCertificates)
public func secTrustSetAnchorCertificates(
    _ trust: UnsafeRawPointer?, _ anchorCertificates: UnsafeRawPointer?
) -> Int32 {
    status { () throws(WrongObject) in
        SecTrustSetAnchorCertificates(unsafe try required(trust), unsafe try optional(anchorCertificates))
    }
}

@c(SecTrustSetAnchorCertificatesOnly)
public func secTrustSetAnchorCertificatesOnly(_ trust: UnsafeRawPointer?, _ anchorCertificatesOnly: UInt8) -> Int32 {
    status { () throws(WrongObject) in
        SecTrustSetAnchorCertificatesOnly(unsafe try required(trust), Bool(anchorCertificatesOnly))
    }
}

@c(SecTrustCopyCustomAnchorCertificates)
public func secTrustCopyCustomAnchorCertificates(
    _ trust: UnsafeRawPointer?, _ anchors: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Int32 {
    unsafe filling(anchors) { slot throws(WrongObject) in
        unsafe SecTrustCopyCustomAnchorCertificates(try required(trust), slot)
    }
}

@c(SecTrustSetVerifyDate)
public func secTrustSetVerifyDate(_ trust: UnsafeRawPointer?, _ verifyDate: UnsafeRawPointer?) -> Int32 {
    status { () throws(WrongObject) in
        SecTrustSetVerifyDate(unsafe try required(trust), unsafe try required(verifyDate))
    }
}

@c(SecTrustGetVerifyTime)
public func secTrustGetVerifyTime(_ trust: UnsafeRawPointer?) -> Double {
    (unsafe try? required(trust, as: SecTrust.self)).map { SecTrustGetVerifyTime($0) } ?? 0
}

@c(SecTrustSetNetworkFetchAllowed)
public func secTrustSetNetworkFetchAllowed(_ trust: UnsafeRawPointer?, _ allowFetch: UInt8) -> Int32 {
    status { () throws(WrongObject) in
        SecTrustSetNetworkFetchAllowed(unsafe try required(trust), Bool(allowFetch))
    }
}

@c(SecTrustGetNetworkFetchAllowed)
public func secTrustGetNetworkFetchAllowed(
    _ trust: UnsafeRawPointer?, _ allowFetch: UnsafeMutablePointer<UInt8>?
) -> Int32 {
    status { () throws(WrongObject) in
        let allowFetch = unsafe try present(allowFetch)
        var isAllowed: DarwinBoolean = false
        let code = unsafe SecTrustGetNetworkFetchAllowed(try required(trust), &isAllowed)
        unsafe allowFetch.pointee = UInt8(isAllowed.boolValue)
        return code
    }
}

@c(SecTrustSetOCSPResponse)
public func secTrustSetOCSPResponse(_ trust: UnsafeRawPointer?, _ responseData: UnsafeRawPointer?) -> Int32 {
    status { () throws(WrongObject) in
        SecTrustSetOCSPResponse(unsafe try required(trust), unsafe try optional(responseData))
    }
}

@c(SecTrustSetSignedCertificateTimestamps)
public func secTrustSetSignedCertificateTimestamps(_ trust: UnsafeRawPointer?, _ sctArray: UnsafeRawPointer?) -> Int32 {
    status { () throws(WrongObject) in
        SecTrustSetSignedCertificateTimestamps(unsafe try required(trust), unsafe try optional(sctArray))
    }
}

@c(SecTrustCopyExceptions)
public func secTrustCopyExceptions(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in SecTrustCopyExceptions(unsafe try required(trust)) }
}

@c(SecTrustSetExceptions)
public func secTrustSetExceptions(_ trust: UnsafeRawPointer?, _ exceptions: UnsafeRawPointer?) -> Bool {
    guard let trust = unsafe try? required(trust, as: SecTrust.self) else { return false }
    // An object of another type has no exceptions for this certificate: there are none then.
    return SecTrustSetExceptions(trust, unsafe try? required(exceptions))
}
