import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite

// The algorithms that the older calls mean (Reference 10.5).

extension SecPadding {
    private static let digests: [SecPadding: DigestAlgorithm] = [
        .PKCS1SHA1: .sha1, .PKCS1SHA224: .sha224, .PKCS1SHA256: .sha256, .PKCS1SHA384: .sha384,
        .PKCS1SHA512: .sha512,
    ]

    /// The algorithm that signs a digest.
    func signature(of key: SecKey) throws(KeyCallFailure) -> SignatureAlgorithm {
        switch key.publicKey.kind {
        case .ellipticCurve:
            return SignatureAlgorithm(self == .sigRaw ? .ecdsaRFC4754 : .ecdsaX962, nil, takesMessage: false)
        case .rsa:
            if isEmpty { return SignatureAlgorithm(.rsaRaw, nil, takesMessage: false) }
            if self == .PKCS1 { return SignatureAlgorithm(.rsaPKCS1, nil, takesMessage: false) }
            guard let digest = Self.digests[self] else { throw .padding }
            return SignatureAlgorithm(.rsaPKCS1, digest, takesMessage: false)
        }
    }

    func encryption(of key: SecKey) throws(KeyCallFailure) -> EncryptionAlgorithm {
        guard case .rsa = key.publicKey.kind else {
            throw KeyCallFailure(errSecParam, "Keys of elliptic curves encrypt with SecKeyCreateEncryptedData only.")
        }
        switch self {
        case []: return .rsaRaw
        case .PKCS1: return .rsaPKCS1
        case .OAEP: return .rsaOAEP(.sha1)
        default: throw .padding
        }
    }
}

extension KeyCallFailure {
    fileprivate static let padding = KeyCallFailure(errSecParam, "The key does not do this with this padding.")
}
