/// What kinds of keys live in the enclave. The lengths of their public keys tell them apart.
package enum EnclaveKeyKind: UInt8, Sendable, Hashable, CaseIterable {
    case p256 = 1
    /// FIPS 203.
    case mlkem768 = 2
    case mlkem1024 = 3
    /// FIPS 204.
    case mldsa65 = 4
    case mldsa87 = 5

    /// Of P-256 an uncompressed point; else the encoding of the standard.
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

    /// What is wrapped: the number of P-256, else the seed that the key grows from.
    package var secretByteCount: Int {
        switch self {
        case .p256, .mldsa65, .mldsa87: 32
        case .mlkem768, .mlkem1024: 64
        }
    }

    /// Of what ``Decapsulate`` takes; nil for keys that do not do it.
    package var ciphertextByteCount: Int? {
        switch self {
        case .mlkem768: 1088
        case .mlkem1024: 1568
        case .p256, .mldsa65, .mldsa87: nil
        }
    }

    /// Of what ``SignMessage`` makes; nil for keys that do not do it.
    package var messageSignatureByteCount: Int? {
        switch self {
        case .mldsa65: 3309
        case .mldsa87: 4627
        case .p256, .mlkem768, .mlkem1024: nil
        }
    }

    /// Nil if keys of no kind have a public key of this length.
    package init?(publicKeyByteCount: Int) {
        guard let kind = Self.allCases.first(where: { $0.publicKeyByteCount == publicKeyByteCount }) else { return nil }
        self = kind
    }

    /// For people.
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

/// What key is made.
package enum NewEnclaveKey: UInt8, Sendable, Hashable, CaseIterable {
    case p256 = 1
    case mlkem768 = 2
    case mlkem1024 = 3
    case mldsa65 = 4
    case mldsa87 = 5
    /// A key of P-256 whose public y is the smaller one of the two that go with its x, so that x alone says which
    /// point it is. Afterwards it is a key like any other.
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
