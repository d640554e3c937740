import LatchkeyEncoding

/// The `AlgorithmIdentifier` before a public or private key: the family and, if any, the curve.
enum AlgorithmIdentifier: Equatable {
    case rsa
    case ellipticCurve(Curve)

    /// Parses the next identifier.
    init(_ reader: inout KeyDERReader) throws(KeyFailure) {
        var parts = try reader.nested()
        let family = unsafe [UInt8](try parts.contents(DERTag.objectIdentifier))
        switch family {
        case Self.rsaEncryption:
            if !parts.isAtEnd {
                guard unsafe try parts.contents(DERTag.null).isEmpty else {
                    throw .unreadable(reason: "an RSA key has no parameters")
                }
            }
            try parts.end()
            self = .rsa
        case Self.ellipticCurvePublicKey:
            self = .ellipticCurve(try Curve(&parts))
            try parts.end()
        default:
            throw .unsupported(what: "keys of this algorithm")
        }
    }

    var der: [UInt8] {
        switch self {
        case .rsa:
            KeyDERWriter.sequence([
                KeyDERWriter.value(DERTag.objectIdentifier, Self.rsaEncryption), KeyDERWriter.value(DERTag.null, []),
            ])
        case .ellipticCurve(let curve):
            KeyDERWriter.sequence([
                KeyDERWriter.value(DERTag.objectIdentifier, Self.ellipticCurvePublicKey),
                KeyDERWriter.value(DERTag.objectIdentifier, curve.objectIdentifier),
            ])
        }
    }

    /// 1.2.840.113549.1.1.1
    private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    /// 1.2.840.10045.2.1
    private static let ellipticCurvePublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
}

extension Curve {
    /// Parses the next named curve. Curves that are described by their numbers are refused: an attacker who describes a
    /// curve can choose one on which another key's signature is valid.
    init(_ reader: inout KeyDERReader) throws(KeyFailure) {
        guard reader.nextTag == DERTag.objectIdentifier else { throw .unsupported(what: "a curve without a name") }
        let name = unsafe [UInt8](try reader.contents(DERTag.objectIdentifier))
        guard let known = Self.allCases.first(where: { $0.objectIdentifier == name }) else {
            throw .unsupported(what: "keys of this curve")
        }
        self = known
    }

    var objectIdentifier: [UInt8] {
        switch self {
        case .p192: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x01]
        case .p224: [0x2B, 0x81, 0x04, 0x00, 0x21]
        case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .p384: [0x2B, 0x81, 0x04, 0x00, 0x22]
        case .p521: [0x2B, 0x81, 0x04, 0x00, 0x23]
        }
    }

    /// The name of the curve in libcrypto.
    var groupName: StaticString {
        switch self {
        case .p192: "prime192v1"
        case .p224: "secp224r1"
        case .p256: "prime256v1"
        case .p384: "secp384r1"
        case .p521: "secp521r1"
        }
    }
}
