import Foundation
import Security

@_implementationOnly import CLatchkeySecurityBorder

@c(SecTrustEvaluateWithError)
public func secTrustEvaluateWithError(
    _ trust: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Bool {
    let isTrusted = unsafe failable(error) { slot throws(WrongObject) -> Bool? in
        var failure: CFError?
        let isTrusted = unsafe SecTrustEvaluateWithError(try required(trust), &failure)
        if let failure { unsafe slot.pointee = unsafe Unmanaged.passRetained(failure) }
        return isTrusted
    }
    return isTrusted ?? false
}

@c(SecTrustEvaluateAsyncWithError)
public func secTrustEvaluateAsyncWithError(
    _ trust: UnsafeRawPointer?, _ queue: UnsafeRawPointer?, _ result: UnsafeRawPointer?
) -> Int32 {
    status { () throws(WrongObject) in
        let trust = unsafe try required(trust, as: SecTrust.self)
        guard let queue = unsafe queue, let block = unsafe Block(result) else { throw WrongObject() }
        unsafe dispatch(on: queue) {
            var failure: CFError?
            let isTrusted = unsafe SecTrustEvaluateWithError(trust, &failure)
            unsafe withOutgoing(failure) {
                unsafe lk_block_call_verdict(
                    block.address, Unmanaged.passUnretained(trust).toOpaque(), isTrusted, $0)
            }
        }
        return errSecSuccess
    }
}

@available(*, deprecated)
@c(SecTrustEvaluateAsync)
public func secTrustEvaluateAsync(
    _ trust: UnsafeRawPointer?, _ queue: UnsafeRawPointer?, _ result: UnsafeRawPointer?
) -> Int32 {
    status { () throws(WrongObject) in
        let trust = unsafe try required(trust, as: SecTrust.self)
        guard let block = unsafe Block(result) else { throw WrongObject() }
        unsafe dispatch(on: queue) {
            var outcome = SecTrustResultType.invalid
            unsafe SecTrustEvaluate(trust, &outcome)
            unsafe lk_block_call_result(
                block.address, Unmanaged.passUnretained(trust).toOpaque(), outcome.rawValue)
        }
        return errSecSuccess
    }
}

@available(*, deprecated)
@c(SecTrustEvaluate)
public func secTrustEvaluate(_ trust: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UInt32>?) -> Int32 {
    status { () throws(WrongObject) in
        let result = unsafe try present(result)
        var outcome = SecTrustResultType.invalid
        let code = unsafe SecTrustEvaluate(try required(trust), &outcome)
        unsafe result.pointee = outcome.rawValue
        return code
    }
}

@c(SecTrustGetTrustResult)
public func secTrustGetTrustResult(_ trust: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UInt32>?) -> Int32 {
    status { () throws(WrongObject) in
        let result = unsafe try present(result)
        var outcome = SecTrustResultType.invalid
        let code = unsafe SecTrustGetTrustResult(try required(trust), &outcome)
        unsafe result.pointee = outcome.rawValue
        return code
    }
}

@c(SecTrustCopyKey)
public func secTrustCopyKey(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in SecTrustCopyKey(unsafe try required(trust)) }
}

@c(SecTrustCopyPublicKey)
public func secTrustCopyPublicKey(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? { unsafe secTrustCopyKey(trust) }

@c(SecTrustCopyCertificateChain)
public func secTrustCopyCertificateChain(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in SecTrustCopyCertificateChain(unsafe try required(trust)) }
}

@c(SecTrustGetCertificateCount)
public func secTrustGetCertificateCount(_ trust: UnsafeRawPointer?) -> Int {
    (unsafe try? required(trust, as: SecTrust.self)).map { SecTrustGetCertificateCount($0) } ?? 0
}

/// By the Get rule: the trust keeps its chain until it is changed.
@available(*, deprecated)
@c(SecTrustGetCertificateAtIndex)
public func secTrustGetCertificateAtIndex(_ trust: UnsafeRawPointer?, _ ix: Int) -> UnsafeRawPointer? {
    guard let trust = unsafe try? required(trust, as: SecTrust.self),
        let certificate = SecTrustGetCertificateAtIndex(trust, ix)
    else { return nil }
    return unsafe UnsafeRawPointer(Unmanaged.passUnretained(certificate).toOpaque())
}

@c(SecTrustCopyResult)
public func secTrustCopyResult(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in SecTrustCopyResult(unsafe try required(trust)) }
}

@available(*, deprecated)
@c(SecTrustCopyProperties)
public func secTrustCopyProperties(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in SecTrustCopyProperties(unsafe try required(trust)) }
}
