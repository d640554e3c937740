@testable import LatchkeyCertificates

/// A certificate built by hand, with a signature that no key made: parsing does not look at it.
struct TestCertificate {
    static let sha256WithECDSA = item(0x30, item(6, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2]))
    static let p256 = item(
        0x30, item(6, ObjectIdentifiers.ellipticCurveKey), item(6, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]))
    /// The generator of P-256.
    static let point = bytes(
        "046B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296"
            + "4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5")

    var version: [UInt8] = item(0xA0, [2, 1, 2])
    var serial: [UInt8] = [2, 1, 7]
    var issuer = name([(ObjectIdentifiers.commonName, 0x13, Array("Issuer".utf8))])
    var subject = name([(ObjectIdentifiers.commonName, 0x13, Array("Subject".utf8))])
    var notBefore = item(0x17, Array("250101000000Z".utf8))
    var notAfter = item(0x17, Array("350101000000Z".utf8))
    var publicKey = item(0x30, p256, item(3, [0], point))
    /// The fields behind the key.
    var rest: [UInt8] = []
    var after: [UInt8] = []

    var der: [UInt8] {
        let inside = Self.item(
            0x30, version, serial, Self.sha256WithECDSA, issuer, Self.item(0x30, notBefore, notAfter), subject,
            publicKey,
            rest)
        return Self.item(0x30, inside, Self.sha256WithECDSA, Self.item(3, [0, 0x30, 6, 2, 1, 1, 2, 1, 1]), after)
    }

    var certificate: Certificate { get throws { try Certificate(der: der) } }

    mutating func add(extension identifier: [UInt8], _ value: [UInt8]) {
        let one = Self.item(0x30, Self.item(6, identifier), Self.item(4, value))
        rest = Self.item(0xA3, Self.item(0x30, one))
    }

    static func item(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] { DERCursor.encode(tag, Array(parts.joined())) }

    /// Each attribute in a set of its own: identifier, tag and bytes of the value.
    static func name(_ attributes: [([UInt8], UInt8, [UInt8])]) -> [UInt8] {
        item(
            0x30,
            Array(attributes.map { item(0x31, item(0x30, item(6, $0.0), item($0.1, $0.2))) }.joined()))
    }

    static func name(_ tag: UInt8, _ text: [UInt8]) -> [UInt8] { name([(ObjectIdentifiers.commonName, tag, text)]) }

    static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal.utf8.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) })
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
