import ArgumentParser
package import LatchkeyAsymmetricKeys
package import LatchkeyCryptoSuite

/// A signature algorithm by the short name that people type: `ecdsa-sha256` for
/// `kSecKeyAlgorithmECDSASignatureMessageX962SHA256`.
package struct SignatureName: Sendable, Hashable, ExpressibleByArgument {
    package let text: String
    package let scheme: SignatureAlgorithm.Scheme
    package let digest: DigestAlgorithm

    /// The words before the digest, in the order of the help.
    private static let schemes: [(name: String, scheme: SignatureAlgorithm.Scheme)] = [
        ("ecdsa", .ecdsaX962), ("ecdsa-rfc4754", .ecdsaRFC4754), ("rsa-pkcs1", .rsaPKCS1), ("rsa-pss", .rsaPSS),
    ]

    package static let all: [SignatureName] = schemes.flatMap { row in
        DigestAlgorithm.ofKeyAlgorithms.map { digest in
            SignatureName(text: "\(row.name)-\(digest.name.lowercased())", scheme: row.scheme, digest: digest)
        }
    }

    private init(text: String, scheme: SignatureAlgorithm.Scheme, digest: DigestAlgorithm) {
        self.text = text
        self.scheme = scheme
        self.digest = digest
    }

    package init?(argument: String) {
        guard let known = Self.all.first(where: { $0.text == argument.lowercased() }) else { return nil }
        self = known
    }

    /// The default signature of a key.
    package static func usual(for type: KeyType) -> SignatureName {
        switch type {
        case .ellipticCurve: SignatureName(text: "ecdsa-sha256", scheme: .ecdsaX962, digest: .sha256)
        case .rsa: SignatureName(text: "rsa-pkcs1-sha256", scheme: .rsaPKCS1, digest: .sha256)
        }
    }

    package static var allValueStrings: [String] { all.map(\.text) }

    /// The algorithm over a digest that is computed already.
    package var ofDigest: SignatureAlgorithm { SignatureAlgorithm(scheme, digest, takesMessage: false) }

    /// For messages and help.
    package static let choices =
        schemes.map { "\($0.name)-DIGEST" }.joined(separator: ", ") + " with DIGEST one of "
        + DigestAlgorithm.ofKeyAlgorithms.map { $0.name.lowercased() }.joined(separator: ", ")
}
