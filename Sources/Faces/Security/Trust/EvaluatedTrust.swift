import Foundation
import LatchkeyCertificates
import LatchkeyEncoding

/// The result of an evaluation: the chain, its failures and the excepted ones.
struct EvaluatedTrust: Sendable {
    /// Seconds since 2001-01-01 00:00:00 UTC.
    let date: Double
    /// The leaf first; as far as the chain could be built.
    let chain: [SecCertificate]
    /// All failures in the order in which they were found; the last one may be fatal.
    let failures: [TrustFailure]
    /// The failures that exceptions cover.
    let excepted: Set<TrustFailure>

    /// Evaluates repeatedly, each time tolerating the failures found so far, until all are known.
    init(_ evaluation: TrustEvaluation, exceptions: TrustExceptions?) {
        var evaluation = evaluation
        var failures: [TrustFailure] = []
        var chain: [Certificate] = []
        search: while true {
            switch evaluation.outcome() {
            case .trusted(let found, _):
                chain = found
                break search
            case .refused(let failure, let found):
                chain = found
                failures.append(failure)
                // A failure that comes back although it is tolerated would do so forever.
                guard failure.isTolerable, evaluation.tolerated.insert(failure).inserted else { break search }
            }
        }
        date = evaluation.date.seconds
        self.chain = chain.map { SecCertificate($0) }
        self.failures = failures
        excepted = exceptions.map { $0.failures(of: evaluation.leaf) } ?? []
    }

    /// The failures that are not excepted, the gravest first.
    var counted: [TrustFailure] {
        let counted = failures.filter { !excepted.contains($0) }
        return counted.filter { !$0.isTolerable } + counted.filter(\.isTolerable)
    }

    var isTrusted: Bool { counted.isEmpty }

    var result: SecTrustResultType {
        guard let gravest = counted.first else { return failures.isEmpty ? .unspecified : .proceed }
        return gravest.isTolerable ? .recoverableTrustFailure : .fatalTrustFailure
    }

    /// Returns nil if the certificate is trusted.
    func error(of leaf: SecCertificate) -> NSError? {
        guard let gravest = counted.first else { return nil }
        let code = Int(gravest.status(in: certificates))
        let details = NSError(
            domain: NSOSStatusErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: sentences(counted)])
        return NSError(
            domain: NSOSStatusErrorDomain, code: code,
            userInfo: [
                NSLocalizedDescriptionKey: "The certificate \(Self.name(of: leaf.certificate)) \(gravest.predicate).",
                NSLocalizedFailureReasonErrorKey: counted.map(\.reason).joined(separator: " "),
                NSUnderlyingErrorKey: details,
            ])
    }

    /// Describes the failures in words, by the certificates of the chain: the leaf is number 0.
    private func sentences(_ failures: [TrustFailure]) -> String {
        certificates.indices.compactMap { index in
            let reasons = failures.filter { $0.places(in: certificates, at: date).contains(index) }.map(\.reason)
            guard !reasons.isEmpty else { return nil }
            return "Certificate \(index) \(Self.name(of: certificates[index])): \(reasons.joined(separator: " "))"
        }.joined(separator: " ")
    }

    private static func name(of certificate: Certificate) -> String {
        certificate.summary.map { "\u{201C}\($0)\u{201D}" } ?? "without a name"
    }

    private var certificates: [Certificate] { chain.map(\.certificate) }

    /// The failures in words, as `SecTrustCopyProperties` returns them: one dictionary for each failure; nil if it is
    /// trusted.
    var properties: NSArray? {
        guard !isTrusted else { return nil }
        return counted.map { failure in
            unsafe [kSecPropertyKeyType: kSecPropertyTypeError, kSecPropertyKeyValue: NSString(string: failure.reason)]
                as NSDictionary
        } as NSArray
    }

    /// For each certificate of the chain the checks that it failed, each with the value false.
    var details: NSArray {
        var details = chain.map { _ in [CFString: Any]() }
        for failure in failures where !chain.isEmpty {
            for index in failure.places(in: certificates, at: date) {
                details[index][failure.check(in: certificates)] = kCFBooleanFalse
            }
        }
        return details.map { $0 as NSDictionary } as NSArray
    }
}
