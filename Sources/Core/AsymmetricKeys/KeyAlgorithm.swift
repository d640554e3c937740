package import LatchkeyCryptoSuite

/// An operation with a key: the values of `SecKeyAlgorithm` (Reference 10.1), in parts.
package enum KeyAlgorithm: Sendable, Hashable {
    case signature(SignatureAlgorithm)
    case encryption(EncryptionAlgorithm)
    case exchange(ExchangeAlgorithm)
}

package struct SignatureAlgorithm: Sendable, Hashable {
    package enum Scheme: Sendable, Hashable {
        /// The number itself, without padding.
        case rsaRaw
        case rsaPKCS1
        case rsaPSS
        /// ASN.1 DER: a sequence of r and s.
        case ecdsaX962
        /// r and s, each of the length of a coordinate.
        case ecdsaRFC4754
    }

    package let scheme: Scheme
    /// Nil if the bytes are signed as they are.
    package let digest: DigestAlgorithm?
    /// True if the input is a message, which is digested first; else it is the digest.
    package let takesMessage: Bool

    package init(_ scheme: Scheme, _ digest: DigestAlgorithm?, takesMessage: Bool) {
        self.scheme = scheme
        self.digest = digest
        self.takesMessage = takesMessage
    }
}

package enum EncryptionAlgorithm: Sendable, Hashable {
    case rsaRaw
    case rsaPKCS1
    case rsaOAEP(DigestAlgorithm)
    /// An AES key under OAEP, the content under AES-GCM (Reference 10.4).
    case rsaOAEPAESGCM(DigestAlgorithm)
    /// Reference 10.3. Cofactor and standard agreement are the same on these curves.
    case ecies(DigestAlgorithm, hasCofactor: Bool, derivesIV: Bool)
}

package struct ExchangeAlgorithm: Sendable, Hashable {
    package let hasCofactor: Bool
    /// The digest of X9.63's derivation; nil for the shared x-coordinate itself.
    package let derivation: DigestAlgorithm?

    package init(hasCofactor: Bool, derivation: DigestAlgorithm?) {
        self.hasCofactor = hasCofactor
        self.derivation = derivation
    }
}

/// The numbers of `SecKeyOperationType`.
package enum KeyOperation: Int, Sendable, Hashable, CaseIterable {
    case sign = 0
    case verify = 1
    case encrypt = 2
    case decrypt = 3
    case exchange = 4
}
