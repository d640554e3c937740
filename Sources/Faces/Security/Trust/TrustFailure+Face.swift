import Foundation
import LatchkeyCertificates

// What programs are told of a failure.
extension TrustFailure {
    /// The code of the error, which is Apple's for the check that failed: what is not valid yet has the code of what has
    /// expired, and the underlying error tells the two apart.
    func status(in chain: [Certificate]) -> OSStatus {
        switch self {
        case .notAnchored: endsBeforeRoot(chain) ? errSecCreateChainFailed : errSecNotTrusted
        case .other: errSecNotTrusted
        case .expired, .notYetValid: errSecCertificateExpired
        case .hostNameMismatch: errSecHostNameMismatch
        case .signatureWrong: errSecInvalidSignature
        case .notAuthority: errSecNoBasicConstraintsCA
        case .purposeNotAllowed: errSecInvalidExtendedKeyUsage
        case .weakKeyOrDigest: errSecUnsupportedKeySize
        case .chainTooLong: errSecPathLengthConstraintExceeded
        case .revocationUnknown: errSecIncompleteCertRevocationCheck
        }
    }

    /// Whether an intermediate is missing, and not only the trust in a root.
    private func endsBeforeRoot(_ chain: [Certificate]) -> Bool { !(chain.last?.isSelfSigned ?? false) }

    /// How a sentence about the leaf goes on.
    var predicate: String {
        switch self {
        case .notAnchored, .signatureWrong, .notAuthority, .weakKeyOrDigest, .chainTooLong, .other: "is not trusted"
        case .expired: "has expired, or one that it depends on has"
        case .notYetValid: "is not valid yet, or one that it depends on is not"
        case .hostNameMismatch: "is not for this host"
        case .purposeNotAllowed: "is not for this purpose"
        case .revocationUnknown: "may have been revoked"
        }
    }

    /// A sentence.
    var reason: String {
        switch self {
        case .notAnchored: "The chain reaches no trusted anchor."
        case .expired: "A certificate of the chain has expired."
        case .notYetValid: "A certificate of the chain is not valid yet."
        case .hostNameMismatch: "None of the certificate's names is the host's."
        case .signatureWrong: "A signature of the chain is wrong."
        case .notAuthority: "A certificate of the chain may not sign others."
        case .purposeNotAllowed: "The certificate does not allow this purpose."
        case .weakKeyOrDigest: "A key or digest of the chain is too weak."
        case .chainTooLong: "The chain is longer than one of its certificates allows."
        case .revocationUnknown:
            "Nothing tells that the certificate was not revoked: nothing is looked up in a network."
        case .other(let reason): "\(reason)."
        }
    }

    /// The name that exceptions know it by; nil for what cannot be excepted.
    var exceptionName: String? {
        switch self {
        case .notAnchored: "not-anchored"
        case .expired: "expired"
        case .notYetValid: "not-yet-valid"
        case .hostNameMismatch: "host-name"
        case .purposeNotAllowed: "purpose"
        case .weakKeyOrDigest: "weak"
        case .revocationUnknown: "revocation"
        case .signatureWrong, .notAuthority, .chainTooLong, .other: nil
        }
    }

    /// Every failure that can be excepted, by its name.
    static let exceptable: [String: TrustFailure] = {
        let all: [TrustFailure] = [
            .notAnchored, .expired, .notYetValid, .hostNameMismatch, .purposeNotAllowed, .weakKeyOrDigest,
            .revocationUnknown,
        ]
        return Dictionary(
            uniqueKeysWithValues: all.compactMap { failure in failure.exceptionName.map { ($0, failure) } })
    }()

    /// The name of the check that failed, under which `kSecTrustResultDetails` has it.
    func check(in chain: [Certificate]) -> NSString {
        switch self {
        case .notAnchored: endsBeforeRoot(chain) ? "MissingIntermediate" : "AnchorTrusted"
        case .expired, .notYetValid: "TemporalValidity"
        case .hostNameMismatch: "SSLHostname"
        case .purposeNotAllowed: "ExtendedKeyUsage"
        case .weakKeyOrDigest: "WeakKeySize"
        case .notAuthority, .chainTooLong: "BasicConstraints"
        case .revocationUnknown: "RevocationResponseRequired"
        case .signatureWrong: "Signature"
        case .other: "Other"
        }
    }

    /// The certificates of a chain that it is about, as far as that can be told; else the leaf.
    func places(in chain: [Certificate], at date: Double) -> [Int] {
        let places: [Int] =
            switch self {
            case .notAnchored: [chain.count - 1]
            case .expired: chain.indices.filter { chain[$0].notValidAfter < date }
            case .notYetValid: chain.indices.filter { chain[$0].notValidBefore > date }
            default: [0]
            }
        return places.isEmpty ? [0] : places
    }
}
