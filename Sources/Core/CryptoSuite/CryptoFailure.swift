/// Why a primitive gave no result.
package enum CryptoFailure: Error, Sendable, Equatable {
    /// The authentication tag, or the check value of a wrapped key, does not fit: wrong key, or altered bytes.
    case notAuthentic
    /// The input has a length that the primitive cannot take.
    case badLength(found: Int)
    /// libcrypto refused; happens only with parameters that are out of its range.
    case unsupported
}
