@_implementationOnly import CLatchkeyLibcrypto

/// A reason for not trusting a certificate.
package enum TrustFailure: Error, Sendable, Hashable {
    /// No anchor was reached.
    case notAnchored
    case expired
    case notYetValid
    case hostNameMismatch
    case signatureWrong
    /// An issuer in the chain may not act as a CA, or not for this purpose.
    case notAuthority
    /// The certificate itself is for other uses.
    case purposeNotAllowed
    case weakKeyOrDigest
    /// Longer than a certificate of the chain allows, or than the limit.
    case chainTooLong
    case revocationUnknown
    /// The reason is libcrypto's.
    case other(reason: String)

    /// True if a user may decide to ignore it. After other failures, libcrypto has not checked the rest.
    package var isTolerable: Bool {
        switch self {
        case .notAnchored, .expired, .notYetValid, .hostNameMismatch, .purposeNotAllowed, .weakKeyOrDigest,
            .revocationUnknown:
            true
        case .signatureWrong, .notAuthority, .chainTooLong, .other: false
        }
    }

    /// - Parameters:
    ///   - error: a `X509_V_ERR_…`.
    ///   - depth: of the certificate at which it was found; the leaf is 0.
    init(error: Int32, depth: Int32) {
        switch error {
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
            self = .notAnchored
        case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired
        case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: self = .hostNameMismatch
        case X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE,
            X509_V_ERR_SIGNATURE_ALGORITHM_MISMATCH, X509_V_ERR_SIGNATURE_ALGORITHM_INCONSISTENCY:
            self = .signatureWrong
        case X509_V_ERR_INVALID_CA, X509_V_ERR_KEYUSAGE_NO_CERTSIGN: self = .notAuthority
        case X509_V_ERR_INVALID_PURPOSE: self = depth > 0 ? .notAuthority : .purposeNotAllowed
        case X509_V_ERR_CERT_REJECTED: self = .purposeNotAllowed
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
            self = .weakKeyOrDigest
        case X509_V_ERR_CERT_CHAIN_TOO_LONG, X509_V_ERR_PATH_LENGTH_EXCEEDED: self = .chainTooLong
        default:
            self = .other(reason: unsafe String(cString: X509_verify_cert_error_string(Int(error))))
        }
    }
}
