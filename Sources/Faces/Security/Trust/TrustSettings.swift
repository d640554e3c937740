import Foundation
import LatchkeyCertificates
import LatchkeyEncoding

/// All settings of an evaluation.
struct TrustSettings: Sendable {
    /// The leaf first.
    let certificates: [SecCertificate]
    var policies: [SecPolicy]
    /// Nil if none were set.
    var anchors: [SecCertificate]?
    /// True if only the anchors that were set count.
    var usesOwnAnchorsOnly = false
    /// Seconds since 2001-01-01 00:00:00 UTC; nil: the moment of evaluation.
    var date: Double?
    /// Stored only for its getter; nothing is ever fetched.
    var allowsNetworkFetch = true
    var exceptions: TrustExceptions?

    /// Evaluates at `now` unless a date was set. Depends only on ``TrustSettings`` and the system's anchors.
    func evaluated(now: Double) -> EvaluatedTrust {
        let date = WallTime(secondsSince2001: date ?? now)
        var evaluation = TrustEvaluation(leaf: certificates[0].certificate, date: date)
        evaluation.intermediates = certificates.dropFirst().map(\.certificate)
        evaluation.policies = policies.map(\.policy)
        evaluation.anchors = (anchors ?? []).map(\.certificate)
        evaluation.usesSystemAnchors = !usesOwnAnchorsOnly
        return EvaluatedTrust(evaluation, exceptions: exceptions)
    }
}
