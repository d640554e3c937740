import LatchkeyEncoding

@_implementationOnly import CLatchkeyLibcrypto

/// One run of libcrypto's verifier: one purpose, one set of anchors.
@safe struct ChainVerification {
    /// Certificates between leaf and anchor. Real chains have three at most.
    private static let depthLimit: Int32 = 20
    /// The dates that ASN.1 can express, years 1 to 9999: libcrypto cannot compare with others.
    private static let moments = -62_135_596_800.0...253_402_300_799.0

    private let evaluation: TrustEvaluation
    private let purpose: TrustEvaluation.Purpose
    private let anchors: TrustEvaluation.AnchorSource
    private let choosesBySignature: Bool

    struct Result {
        let outcome: TrustEvaluation.Outcome
        /// True if the chain leads to an anchor. Other chains may also be trusted, if that failure is tolerated.
        let isAnchored: Bool
    }

    init(
        _ evaluation: TrustEvaluation, _ purpose: TrustEvaluation.Purpose, _ anchors: TrustEvaluation.AnchorSource,
        choosesBySignature: Bool
    ) {
        self.evaluation = evaluation
        self.purpose = purpose
        self.anchors = anchors
        self.choosesBySignature = choosesBySignature
    }

    func result() -> Result {
        let store = unsafe X509_STORE_new()
        let context = unsafe X509_STORE_CTX_new()
        let untrusted = unsafe OPENSSL_sk_new_null()
        let trusted = unsafe OPENSSL_sk_new_null()
        let judgement = IssuerJudgement(evaluation, choosesBySignature: choosesBySignature)
        defer {
            unsafe X509_STORE_CTX_free(context)
            unsafe X509_STORE_free(store)
            // The certificates in them belong to the evaluation.
            unsafe OPENSSL_sk_free(untrusted)
            unsafe OPENSSL_sk_free(trusted)
            ERR_clear_error()
        }
        return withExtendedLifetime((evaluation, judgement)) {
            for certificate in evaluation.intermediates {
                _ = unsafe OPENSSL_sk_push(untrusted, UnsafeRawPointer(certificate.x509))
            }
            unsafe X509_STORE_set_check_issued(store, IssuerJudgement.checkIssued)
            if anchors == .system { unsafe X509_STORE_set_default_paths(store) }
            guard unsafe X509_STORE_CTX_init(context, store, evaluation.leaf.x509, untrusted) == 1 else {
                return Result(
                    outcome: .refused(.other(reason: "libcrypto does not begin"), chain: [evaluation.leaf]),
                    isAnchored: false)
            }
            if anchors == .given {
                for certificate in evaluation.anchors {
                    _ = unsafe OPENSSL_sk_push(trusted, UnsafeRawPointer(certificate.x509))
                }
                unsafe X509_STORE_CTX_set0_trusted_stack(context, trusted)
            }
            unsafe X509_STORE_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(judgement).toOpaque())
            unsafe X509_STORE_CTX_set_verify_cb(context, IssuerJudgement.judge)
            unsafe set(context)
            let isVerified = unsafe X509_verify_cert(context) == 1
            let isAnchored = !judgement.missesAnchor
            return unsafe Result(
                outcome: outcome(context, isVerified: isVerified, isAnchored: isAnchored), isAnchored: isAnchored)
        }
    }

    private func set(_ context: OpaquePointer?) {
        let parameters = unsafe X509_STORE_CTX_get0_param(context)
        unsafe X509_VERIFY_PARAM_set_flags(
            parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN) | UInt(X509_V_FLAG_TRUSTED_FIRST))
        unsafe X509_VERIFY_PARAM_set_depth(parameters, Self.depthLimit)
        let date = evaluation.date
        let seconds = date.seconds.isNaN ? Self.moments.lowerBound : date.secondsSince1970
        let moment = min(max(seconds, Self.moments.lowerBound), Self.moments.upperBound)
        unsafe X509_VERIFY_PARAM_set_time(parameters, Int(moment.rounded(.down)))
        switch purpose {
        case .any:
            unsafe X509_VERIFY_PARAM_set_auth_level(parameters, 1)
        case .ssl(let isServer, let hostName):
            unsafe X509_VERIFY_PARAM_set_auth_level(parameters, 2)
            unsafe X509_STORE_CTX_set_purpose(context, isServer ? X509_PURPOSE_SSL_SERVER : X509_PURPOSE_SSL_CLIENT)
            guard case .name(let name) = hostName, unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, name) != 1 else {
                break
            }
            unsafe X509_VERIFY_PARAM_set_hostflags(
                parameters, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            let isSet = unsafe X509_VERIFY_PARAM_set1_host(parameters, name, name.utf8.count) == 1
            precondition(isSet, "libcrypto takes any text without NUL for a host name")
        }
    }

    private func outcome(
        _ context: OpaquePointer?, isVerified: Bool, isAnchored: Bool
    ) -> TrustEvaluation.Outcome {
        let chain = unsafe chain(of: context)
        guard isVerified else {
            let error = unsafe X509_STORE_CTX_get_error(context)
            let depth = unsafe X509_STORE_CTX_get_error_depth(context)
            return .refused(TrustFailure(error: error, depth: depth), chain: chain)
        }
        if case .ssl(_, .impossible) = purpose, !evaluation.tolerates(.hostNameMismatch) {
            return .refused(.hostNameMismatch, chain: chain)
        }
        if let failure = ChainReview(chain: chain, purpose: purpose).failure {
            return .refused(failure, chain: chain)
        }
        return .trusted(chain: chain, isAnchoredByCaller: isAnchored && anchors == .given)
    }

    /// Returns the chain as far as it was built, with the given certificates where they are the same.
    private func chain(of context: OpaquePointer?) -> [Certificate] {
        let stack = unsafe X509_STORE_CTX_get0_chain(context)
        let count = unsafe OPENSSL_sk_num(stack)
        guard count > 0 else { return [evaluation.leaf] }
        return (0..<count).compactMap { index in
            guard let found = unsafe OpaquePointer(OPENSSL_sk_value(stack, index)) else { return nil }
            if index == 0 { return evaluation.leaf }
            let given = evaluation.anchors + evaluation.intermediates
            if let known = given.first(where: { unsafe $0.x509 == found }) { return known }
            return unsafe try? Certificate(der: Certificate.der(of: found))
        }
    }
}

/// The decisions during a run of libcrypto's verifier.
private final class IssuerJudgement {
    private let evaluation: TrustEvaluation
    private let isWholeSecond: Bool
    private let choosesBySignature: Bool
    /// Limits the work for many issuers of one name.
    private var signaturesLeft = 100
    /// True if libcrypto reported that the chain reaches no anchor.
    private(set) var missesAnchor = false

    init(_ evaluation: TrustEvaluation, choosesBySignature: Bool) {
        self.evaluation = evaluation
        isWholeSecond = evaluation.date.seconds.rounded(.down) == evaluation.date.seconds
        self.choosesBySignature = choosesBySignature
    }

    private static func of(_ context: OpaquePointer?) -> IssuerJudgement? {
        guard let found = unsafe X509_STORE_CTX_get_ex_data(context, 0) else { return nil }
        return unsafe Unmanaged<IssuerJudgement>.fromOpaque(found).takeUnretainedValue()
    }

    /// Returns 1 if one certificate may be the issuer of another: libcrypto compares names and identifiers. Its
    /// permission to sign is checked when the chain is built.
    static let checkIssued: @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32 = {
        context, subject, issuer in
        let answer = unsafe X509_check_issued(issuer, subject)
        guard answer == X509_V_OK || answer == X509_V_ERR_KEYUSAGE_NO_CERTSIGN else { return 0 }
        guard let judgement = unsafe of(context), judgement.choosesBySignature, judgement.signaturesLeft > 0 else {
            return 1
        }
        judgement.signaturesLeft -= 1
        return unsafe X509_verify(subject, X509_get0_pubkey(issuer)) == 1 ? 1 : 0
    }

    static let judge: @convention(c) (Int32, OpaquePointer?) -> Int32 = { isFine, context in
        guard isFine == 0, let judgement = unsafe of(context) else { return isFine }
        let error = unsafe X509_STORE_CTX_get_error(context)
        let failure = unsafe TrustFailure(error: error, depth: X509_STORE_CTX_get_error_depth(context))
        if failure == .notAnchored { judgement.missesAnchor = true }
        let isPassed = unsafe judgement.evaluation.tolerates(failure) || judgement.isLastSecond(context, error)
        if isPassed { unsafe X509_STORE_CTX_set_error(context, X509_V_OK) }
        return isPassed ? 1 : 0
    }

    /// A certificate is valid until the end of its last second; libcrypto ends it when that second begins.
    private func isLastSecond(_ context: OpaquePointer?, _ error: Int32) -> Bool {
        guard isWholeSecond, error == X509_V_ERR_CERT_HAS_EXPIRED else { return false }
        let parameters = unsafe X509_STORE_CTX_get0_param(context)
        let end = unsafe X509_get0_notAfter(X509_STORE_CTX_get_current_cert(context))
        return unsafe ASN1_TIME_cmp_time_t(end, X509_VERIFY_PARAM_get_time(parameters)) == 0
    }
}
