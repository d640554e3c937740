/// The requirements of RFC 5280 that libcrypto does not check, for a chain that it has verified.
struct ChainReview {
    private static let unreadable = TrustFailure.other(reason: "unsupported or invalid name constraint syntax")
    private static let excluded = TrustFailure.other(reason: "excluded subtree violation")

    /// Leaf first.
    let chain: [Certificate]
    let purpose: TrustEvaluation.Purpose

    /// Nil if nothing is wrong.
    var failure: TrustFailure? {
        // libcrypto accepts the key usage alone for a CA. From version 3 on the basic constraints are required (RFC
        // 5280, 6.1.4 k), and on Apple's systems also for an anchor.
        if chain.dropFirst().contains(where: { $0.version >= 2 && !$0.hasBasicConstraints }) { return .notAuthority }
        return exclusion
    }

    /// The failure of a chain in which a name could stand for a host that an issuer above it excludes.
    private var exclusion: TrustFailure? {
        for depth in chain.indices.dropFirst() {
            guard let constraints = chain[depth].nameConstraints else { continue }
            guard let excludedHosts = ExcludedHosts(nameConstraints: constraints) else { return Self.unreadable }
            for (index, certificate) in chain[..<depth].enumerated() {
                // A CA that issued to itself, to change its key, is not bound (RFC 5280, 6.1.3 b).
                guard index == 0 || certificate.issuer != certificate.subject else { continue }
                guard let hosts = hosts(of: certificate, isLeaf: index == 0) else { return Self.unreadable }
                if hosts.contains(where: { excludedHosts.contain($0) }) { return Self.excluded }
            }
        }
        return nil
    }

    /// Returns the names of a certificate that may stand for hosts. Without a host among the alternative names a
    /// program may take the leaf's common name for one; SSL never does.
    private func hosts(of certificate: Certificate, isLeaf: Bool) -> [ArraySlice<UInt8>]? {
        guard let hosts = certificate.alternativeHosts else { return nil }
        return hosts.isEmpty && isLeaf && purpose == .any ? certificate.commonWildcards : hosts
    }
}
