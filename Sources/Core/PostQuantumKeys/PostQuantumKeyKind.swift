/// The keys that are safe from quantum computers: FIPS 203 and FIPS 204.
package enum PostQuantumKeyKind: Sendable, Hashable, CaseIterable {
    case mlkem768
    case mlkem1024
    case mldsa65
    case mldsa87

    /// The length of the seed from which the whole key is expanded.
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

/// A reason for which there is no key, or an operation is refused.
package enum PostQuantumFailure: Error, Sendable, Equatable {
    case badSeedLength(found: Int, expected: Int)
    case badCiphertextLength(found: Int, expected: Int)
    case contextStringTooLong(found: Int, limit: Int)
    /// A key for secrets does not sign.
    case doesNotSign(PostQuantumKeyKind)
    /// A key for signatures does not open ciphertexts.
    case doesNotDecapsulate(PostQuantumKeyKind)
    /// The library failed although its input was valid: no memory is left.
    case library(String)
}
