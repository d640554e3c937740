import Foundation
import Security

@c(SecCertificateCreateWithData)
public func secCertificateCreateWithData(
    _ allocator: UnsafeRawPointer?, _ data: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in SecCertificateCreateWithData(nil, unsafe try required(data)) }
}

@c(SecCertificateCopyData)
public func secCertificateCopyData(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in SecCertificateCopyData(unsafe try required(certificate)) }
}

@c(SecCertificateCopySubjectSummary)
public func secCertificateCopySubjectSummary(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in SecCertificateCopySubjectSummary(unsafe try required(certificate)) }
}

@c(SecCertificateCopyCommonName)
public func secCertificateCopyCommonName(
    _ certificate: UnsafeRawPointer?, _ commonName: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Int32 {
    unsafe filling(commonName) { slot throws(WrongObject) in
        unsafe SecCertificateCopyCommonName(try required(certificate), slot)
    }
}

@c(SecCertificateCopyEmailAddresses)
public func secCertificateCopyEmailAddresses(
    _ certificate: UnsafeRawPointer?, _ emailAddresses: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Int32 {
    unsafe filling(emailAddresses) { slot throws(WrongObject) in
        unsafe SecCertificateCopyEmailAddresses(try required(certificate), slot)
    }
}

@c(SecCertificateCopyNormalizedIssuerSequence)
public func secCertificateCopyNormalizedIssuerSequence(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in
        SecCertificateCopyNormalizedIssuerSequence(unsafe try required(certificate))
    }
}

@c(SecCertificateCopyNormalizedSubjectSequence)
public func secCertificateCopyNormalizedSubjectSequence(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in
        SecCertificateCopyNormalizedSubjectSequence(unsafe try required(certificate))
    }
}

@c(SecCertificateCopyKey)
public func secCertificateCopyKey(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in SecCertificateCopyKey(unsafe try required(certificate)) }
}

@c(SecCertificateCopyPublicKey)
public func secCertificateCopyPublicKey(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe secCertificateCopyKey(certificate)
}

@c(SecCertificateCopySerialNumberData)
public func secCertificateCopySerialNumberData(
    _ certificate: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe object(error) { slot throws(WrongObject) in
        unsafe SecCertificateCopySerialNumberData(try required(certificate), slot)
    }
}

@c(SecCertificateCopySerialNumber)
public func secCertificateCopySerialNumber(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe secCertificateCopySerialNumberData(certificate, nil)
}

@c(SecCertificateCopyNotValidBeforeDate)
public func secCertificateCopyNotValidBeforeDate(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in SecCertificateCopyNotValidBeforeDate(unsafe try required(certificate)) }
}

@c(SecCertificateCopyNotValidAfterDate)
public func secCertificateCopyNotValidAfterDate(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in SecCertificateCopyNotValidAfterDate(unsafe try required(certificate)) }
}

@c(SecCertificateCopyValues)
public func secCertificateCopyValues(
    _ certificate: UnsafeRawPointer?, _ keys: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe object(error) { slot throws(WrongObject) in
        unsafe SecCertificateCopyValues(try required(certificate), try optional(keys), slot)
    }
}
