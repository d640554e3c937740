/// The kinds of enclave keys. Each kind has its own length of the public key.
package enum EnclaveKeyKind: UInt8, Sendable, Hashable, CaseIterable {
    case p256 = 1
    /// FIPS 203.
    case mlkem768 = 2
    case mlkem1024 = 3
    /// FIPS 204.
    case mldsa65 = 4
    case mldsa87 = 5

    /// The length of the public key: for P-256 an uncompressed point, otherwise the encoding of the standard.
    package var publicKeyByteCount: Int {
        switch self {
        case .p256: 65
        case .mlkem768: 1184
        case .mlkem1024: 1568
        case .mldsa65: 1952
        case .mldsa87: 2592
        }
    }

    static let publicKeyByteLimit = allCases.map(\.publicKeyByteCount).max() ?? 0

    /// The length of the wrapped secret: the private number of P-256, otherwise the seed from which the key is
    /// expanded.
    package var secretByteCount: Int {
        switch self {
        case .p256, .mldsa65, .mldsa87: 32
        case .mlkem768, .mlkem1024: 64
        }
    }

    /// The length of ciphertexts for ``Decapsulate``; nil for kinds that cannot decapsulate.
    package var ciphertextByteCount: Int? {
        switch self {
        case .mlkem768: 1088
        case .mlkem1024: 1568
        case .p256, .mldsa65, .mldsa87: nil
        }
    }

    /// The length of signatures by ``SignMessage``; nil for kinds that cannot sign messages.
    package var messageSignatureByteCount: Int? {
        switch self {
        case .mldsa65: 3309
        case .mldsa87: 4627
        case .p256, .mlkem768, .mlkem1024: nil
        }
    }

    /// Returns nil if public keys of this length do not exist.
    package init?(publicKeyByteCount: Int) {
        guard let kind = Self.allCases.first(where: { $0.publicKeyByteCount == publicKeyByteCount }) else { return nil }
        self = kind
    }

    /// A name for people.
    package var name: String {
        switch self {
        case .p256: "P-256"
        case .mlkem768: "ML-KEM-768"
        case .mlkem1024: "ML-KEM-1024"
        case .mldsa65: "ML-DSA-65"
        case .mldsa87: "ML-DSA-87"
        }
    }
}

/// The kind of a new key.
package enum NewEnclaveKey: UInt8, Sendable, Hashable, CaseIterable {
    case p256 = 1
    case mlkem768 = 2
    case mlkem1024 = 3
    case mldsa65 = 4
    case mldsa87 = 5
    /// A P-256 key whose public y is the smaller of the two values for its x, so that x alone determines the point.
    /// After it is made, it is an ordinary P-256 key.
    case compactP256 = 6

    package var kind: EnclaveKeyKind {
        switch self {
        case .p256, .compactP256: .p256
        case .mlkem768: .mlkem768
        case .mlkem1024: .mlkem1024
        case .mldsa65: .mldsa65
        case .mldsa87: .mldsa87
        }
    }
}
