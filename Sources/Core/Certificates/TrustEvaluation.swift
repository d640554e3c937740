package import LatchkeyEncoding

/// The evaluation of a certificate for a purpose: builds a chain to an anchor and checks it with libcrypto's verifier.
///
/// An anchor may be any certificate, not only a self-signed one. Keys and digests below 80 bits of strength are
/// refused, for SSL below 112 bits (RSA of less than 2048 bits, SHA-1). A host name is compared with the alternative
/// names alone, never with the common name.
package struct TrustEvaluation: Sendable {
    /// A requirement on the certificate.
    package enum Policy: Sendable, Hashable {
        case basicX509
        /// The host name, or address, that the certificate must be for; nil allows any. `isServer` false: a client's
        /// certificate.
        case ssl(isServer: Bool, hostName: String?)
        /// `kSecRevocation…` flags. Without access to the network no certificate is known to be revoked: ignored, but
        /// with ``requiresPositiveResponse`` the evaluation fails.
        case revocation(flags: UInt)

        /// `kSecRevocationRequirePositiveResponse`.
        package static let requiresPositiveResponse: UInt = 8
    }

    package enum Outcome: Sendable {
        /// The chain, leaf first, anchor last. `isAnchoredByCaller`: by a given anchor, not by the system's.
        case trusted(chain: [Certificate], isAnchoredByCaller: Bool)
        /// The chain as far as it could be built.
        case refused(TrustFailure, chain: [Certificate])
    }

    package var leaf: Certificate
    package var intermediates: [Certificate] = []
    /// All must hold; an empty list is the same as the basic policy.
    package var policies: [Policy] = [.basicX509]
    package var anchors: [Certificate] = []
    /// True if the anchors of the system also count: those of libcrypto's default paths, or of `SSL_CERT_FILE` and
    /// `SSL_CERT_DIR`.
    package var usesSystemAnchors = true
    package var date: WallTime
    /// Failures to tolerate, by a user's decision or to find further ones. Invalid signatures and issuers that are not
    /// CAs are never tolerated.
    package var tolerated: Set<TrustFailure> = []

    package init(leaf: Certificate, date: WallTime) {
        self.leaf = leaf
        self.date = date
    }

    /// Evaluates each policy and returns the first failure. Takes bounded time, however many certificates there are;
    /// reads the system's anchors from files.
    package func outcome() -> Outcome {
        var purposes: [Purpose] = []
        var needsRevocationAnswer = false
        for policy in policies {
            let purpose: Purpose
            switch policy {
            case .basicX509: purpose = .any
            case .ssl(let isServer, let hostName): purpose = .ssl(isServer: isServer, HostName(hostName))
            case .revocation(let flags):
                needsRevocationAnswer = needsRevocationAnswer || flags & Policy.requiresPositiveResponse != 0
                continue
            }
            if !purposes.contains(purpose) { purposes.append(purpose) }
        }
        var held: Outcome?
        for purpose in purposes.isEmpty ? [.any] : purposes {
            let outcome = outcome(for: purpose)
            guard case .trusted = outcome else { return outcome }
            held = held ?? outcome
        }
        guard case .trusted(let chain, let isAnchoredByCaller)? = held else {
            preconditionFailure("an evaluation without a purpose")
        }
        guard !needsRevocationAnswer || tolerates(.revocationUnknown) else {
            return .refused(.revocationUnknown, chain: chain)
        }
        return .trusted(chain: chain, isAnchoredByCaller: isAnchoredByCaller)
    }

    /// Tries the given anchors first, then those of the system: of two failures, the one with a chain to an anchor says
    /// more.
    private func outcome(for purpose: Purpose) -> Outcome {
        var sources: [AnchorSource] = usesSystemAnchors ? [.system] : []
        if !anchors.isEmpty || sources.isEmpty { sources.insert(.given, at: 0) }
        var first: ChainVerification.Result?
        for source in sources {
            let result = result(for: purpose, anchors: source)
            switch result.outcome {
            case .trusted where result.isAnchored: return result.outcome
            case .refused(let failure, _) where failure != .notAnchored && source == sources.last: return result.outcome
            default: first = first ?? result
            }
        }
        return first?.outcome ?? .refused(.notAnchored, chain: [leaf])
    }

    /// Returns true if a failure is tolerated.
    func tolerates(_ failure: TrustFailure) -> Bool { failure.isTolerable && tolerated.contains(failure) }

    /// Among issuers of one name libcrypto takes any, and fails if that one has another key. This first leaves out
    /// issuers whose key does not match; if no anchor is reached, libcrypto's own choice gives the reason.
    private func result(for purpose: Purpose, anchors: AnchorSource) -> ChainVerification.Result {
        let result = ChainVerification(self, purpose, anchors, choosesBySignature: true).result()
        guard !result.isAnchored else { return result }
        let plain = ChainVerification(self, purpose, anchors, choosesBySignature: false).result()
        if case .refused(.signatureWrong, _) = plain.outcome { return plain }
        return result
    }
}

extension TrustEvaluation {
    /// The requirements of one run of the verifier.
    enum Purpose: Hashable {
        case any
        case ssl(isServer: Bool, HostName)
    }

    enum AnchorSource {
        case given
        case system
    }

    /// The host that a certificate must be for.
    enum HostName: Hashable {
        case any
        case name(String)
        /// A text that no certificate can be for. libcrypto would take some for patterns: `.example.com`, or the empty
        /// text.
        case impossible

        /// Ignores a dot at the end, which stands for the root zone.
        init(_ text: String?) {
            guard let text else {
                self = .any
                return
            }
            let name = text.hasSuffix(".") ? String(text.dropLast()) : text
            let isPossible =
                !name.isEmpty && name.utf8.count <= 1024 && !name.hasPrefix(".")
                && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "*") }
            self = isPossible ? .name(name) : .impossible
        }
    }
}
