import Foundation
import LatchkeyCertificates

// The texts, codes and names of a failure for programs.
extension TrustFailure {
    /// Returns Apple's code for the failed check: a certificate that is not valid yet has the code of an expired one,
    /// and the underlying error tells the two apart.
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

    /// Returns true if an intermediate is missing, rather than only the trust in a root.
    private func endsBeforeRoot(_ chain: [Certificate]) -> Bool { !(chain.last?.isSelfSigned ?? false) }

    /// The end of a sentence about the leaf.
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

    /// A whole sentence.
    var reason: String {
        switch self {
        case .notAnchored: "The chain reaches no trusted anchor."
        case .expired: "A certificate of the chain has expired."
        case .notYetValid: "A certificate of the chain is not valid yet."
        case .hostNameMismatch: "None of the certificate's names is the host's."
        case .signatureWrong: "A signature of the chain is wrong."
        case .notAuthority: "An issuer in the chain may not act as a CA."
        case .purposeNotAllowed: "The certificate does not allow this purpose."
        case .weakKeyOrDigest: "A key or digest of the chain is too weak."
        case .chainTooLong: "The chain is longer than one of its certificates allows."
        case .revocationUnknown:
            "Revocation cannot be checked: nothing is fetched from the network."
        case .other(let reason): "\(reason)."
        }
    }

    /// The failure's name in exceptions; nil if it cannot be excepted.
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

    /// Returns the indices of the certificates that caused the failure, as far as known; else that of the leaf.
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
