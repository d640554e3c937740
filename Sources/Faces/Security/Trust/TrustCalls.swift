public import Dispatch
public import Foundation

/// Returns true if the certificate is trusted. Evaluates if something was set since the last time.
///
/// - Parameter error: filled whenever the result is false.
@discardableResult
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
    let failure = trust.evaluated().error(of: trust.leaf)
    if let failure { unsafe error?.pointee = failure }
    return failure == nil
}

/// Evaluates on a queue, and reports there whether the certificate is trusted.
@discardableResult
public func SecTrustEvaluateAsyncWithError(
    _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping SecTrustWithErrorCallback
) -> OSStatus {
    let answer = OnceCalled(body: result)
    queue.async {
        let failure = trust.evaluated().error(of: trust.leaf)
        answer.body(trust, failure == nil, failure)
    }
    return errSecSuccess
}

/// Evaluates if something was set since the last time.
///
/// - Parameter result: receives the result of the evaluation.
@available(*, deprecated, renamed: "SecTrustEvaluateWithError")
@discardableResult
public func SecTrustEvaluate(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
    unsafe result.pointee = trust.evaluated().result
    return errSecSuccess
}

/// Evaluates on a queue, and reports the result there.
///
/// - Parameter queue: nil: one of the process's own queues.
@available(*, deprecated, renamed: "SecTrustEvaluateAsyncWithError")
@discardableResult
public func SecTrustEvaluateAsync(
    _ trust: SecTrust, _ queue: DispatchQueue?, _ result: @escaping SecTrustCallback
) -> OSStatus {
    let answer = OnceCalled(body: result)
    (queue ?? .global()).async { answer.body(trust, trust.evaluated().result) }
    return errSecSuccess
}

/// Receives the trust and the result of its evaluation.
public typealias SecTrustCallback = (SecTrust, SecTrustResultType) -> Void

/// Receives the trust, whether the certificate is trusted, and if it is not, why.
public typealias SecTrustWithErrorCallback = (SecTrust, Bool, CFError?) -> Void

/// Returns the last result without evaluating.
///
/// - Parameter result: receives the result of the last evaluation; `invalid` if something was set since.
@discardableResult
public func SecTrustGetTrustResult(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
    unsafe result.pointee = trust.lastResult
    return errSecSuccess
}

/// Returns the public key of the evaluated certificate, trusted or not.
@discardableResult
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? { SecCertificateCopyKey(trust.leaf) }

/// The same as ``SecTrustCopyKey(_:)``.
@available(*, deprecated, renamed: "SecTrustCopyKey")
@discardableResult
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

/// Returns the chain, leaf first, as far as it could be built.
@discardableResult
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { trust.evaluated().chain as NSArray }

/// Returns the number of certificates in the chain.
@discardableResult
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex { trust.evaluated().chain.count }

/// Returns a certificate of the chain, the leaf at 0; nil beyond its end.
@available(*, deprecated, renamed: "SecTrustCopyCertificateChain")
@discardableResult
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
    let chain = trust.evaluated().chain
    return chain.indices.contains(ix) ? chain[ix] : nil
}

/// Returns the result of the evaluation, its time, and the checks that each certificate of the chain failed.
@discardableResult
public func SecTrustCopyResult(_ trust: SecTrust) -> CFDictionary? {
    let evaluated = trust.evaluated()
    return unsafe [
        kSecTrustResultValue: NSNumber(value: evaluated.result.rawValue),
        kSecTrustEvaluationDate: NSDate(timeIntervalSinceReferenceDate: evaluated.date),
        kSecTrustResultDetails: evaluated.details,
    ] as NSDictionary
}

/// Returns the failures: for each one `kSecPropertyKeyType` with `kSecPropertyTypeError`, and `kSecPropertyKeyValue`
/// with a sentence; nil if the certificate is trusted. Evaluates if something was set since the last time.
@available(*, deprecated, renamed: "SecTrustEvaluateWithError")
@discardableResult
public func SecTrustCopyProperties(_ trust: SecTrust) -> CFArray? { trust.evaluated().properties }

/// Returns exceptions for all present failures of this certificate that a user may decide to ignore. A program keeps
/// them and passes them to ``SecTrustSetExceptions(_:_:)`` of later trusts of the same certificate.
@discardableResult
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? {
    let exceptions = TrustExceptions(leaf: trust.leaf.certificate, failures: trust.evaluated().failures)
    return NSData.copying(exceptions.serialised)
}

/// Applies exceptions that were copied before.
///
/// - Parameter exceptions: bytes of ``SecTrustCopyExceptions(_:)``; nil removes all exceptions.
/// - Returns: true if there are now exceptions for this certificate; false if they are for another, and none are set.
@discardableResult
public func SecTrustSetExceptions(_ trust: SecTrust, _ exceptions: CFData?) -> Bool {
    var taken = exceptions.flatMap { TrustExceptions(serialised: $0) }
    if taken?.isFor(trust.leaf.certificate) != true { taken = nil }
    trust.set { $0.exceptions = taken }
    return taken != nil
}
