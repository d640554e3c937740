/// A reason for which a primitive gave no result.
package enum CryptoFailure: Error, Sendable, Equatable {
    /// The authentication tag, or the check value of a wrapped key, does not match: wrong key, or altered bytes.
    case notAuthentic
    /// The primitive does not accept input of this length.
    case badLength(found: Int)
    /// libcrypto refused; happens only with parameters outside its range.
    case unsupported
}
