/// The keys that no quantum computer breaks: FIPS 203 and FIPS 204.
package enum PostQuantumKeyKind: Sendable, Hashable, CaseIterable {
    case mlkem768
    case mlkem1024
    case mldsa65
    case mldsa87

    /// Of the seed that the whole key grows from.
    package var seedByteCount: Int {
        switch self {
        case .mlkem768, .mlkem1024: 64
        case .mldsa65, .mldsa87: 32
        }
    }

    package var publicKeyByteCount: Int {
        switch self {
        case .mlkem768: 1184
        case .mlkem1024: 1568
        case .mldsa65: 1952
        case .mldsa87: 2592
        }
    }

    /// Nil for keys that do not decapsulate.
    package var ciphertextByteCount: Int? {
        switch self {
        case .mlkem768: 1088
        case .mlkem1024: 1568
        case .mldsa65, .mldsa87: nil
        }
    }

    /// Nil for keys that do not sign.
    package var signatureByteCount: Int? {
        switch self {
        case .mldsa65: 3309
        case .mldsa87: 4627
        case .mlkem768, .mlkem1024: nil
        }
    }
}

/// Why there is no key, or why it does not do what was asked.
package enum PostQuantumFailure: Error, Sendable, Equatable {
    case badSeedLength(found: Int, expected: Int)
    case badCiphertextLength(found: Int, expected: Int)
    case contextStringTooLong(found: Int, limit: Int)
    /// A key for secrets does not sign.
    case doesNotSign(PostQuantumKeyKind)
    /// A key for signatures opens no ciphertexts.
    case doesNotDecapsulate(PostQuantumKeyKind)
    /// The library failed where nothing was wrong with its input: no memory is left.
    case library(String)
}
