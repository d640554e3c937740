/// The family of a key; the numbers are those of `kSecAttrKeyType`.
package enum KeyType: Int64, Sendable, Hashable, CaseIterable {
    case rsa = 42
    case ellipticCurve = 73
}

/// The NIST curves over prime fields (FIPS 186-4), by the size of their field in bits.
package enum Curve: Int, Sendable, Hashable, CaseIterable {
    case p192 = 192
    case p224 = 224
    case p256 = 256
    case p384 = 384
    case p521 = 521

    /// Bytes of one coordinate, and of a private number.
    package var coordinateByteCount: Int { (rawValue + 7) / 8 }

    /// An uncompressed point of X9.63: 04, x, y.
    package var pointByteCount: Int { 2 * coordinateByteCount + 1 }
}

/// The kind of a key, size included.
package enum KeyKind: Sendable, Hashable {
    /// The bits of the modulus.
    case rsa(bits: Int)
    case ellipticCurve(Curve)

    /// The supported sizes of keys.
    package static let rsaBits = 512...8192

    package var type: KeyType {
        switch self {
        case .rsa: .rsa
        case .ellipticCurve: .ellipticCurve
        }
    }

    package var sizeInBits: Int {
        switch self {
        case .rsa(let bits): bits
        case .ellipticCurve(let curve): curve.rawValue
        }
    }

    /// Bytes of the modulus, or of a coordinate.
    package var blockByteCount: Int { (sizeInBits + 7) / 8 }
}
