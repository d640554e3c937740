import Foundation
import LatchkeyCertificates

/// Everything that an evaluation depends on.
struct TrustSettings: Sendable {
    /// The leaf first.
    let certificates: [SecCertificate]
    var policies: [SecPolicy]
    /// Nil: none were set.
    var anchors: [SecCertificate]?
    /// Whether only the anchors that were set count.
    var usesOwnAnchorsOnly = false
    /// Seconds since 2001-01-01 00:00:00 UTC; nil: the moment of evaluation.
    var date: Double?
    /// Remembered for who asks; nothing is ever fetched.
    var allowsNetworkFetch = true
    var exceptions: TrustExceptions?

    /// Evaluates at a moment that counts where none was set. Looks at no more than ``TrustSettings`` and the system's
    /// anchors.
    func evaluated(now: Double) -> EvaluatedTrust {
        let date = date ?? now
        var evaluation = TrustEvaluation(leaf: certificates[0].certificate, date: date)
        evaluation.intermediates = certificates.dropFirst().map(\.certificate)
        evaluation.policies = policies.map(\.policy)
        evaluation.anchors = (anchors ?? []).map(\.certificate)
        evaluation.usesSystemAnchors = !usesOwnAnchorsOnly
        return EvaluatedTrust(evaluation, exceptions: exceptions)
    }
}
