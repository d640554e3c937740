@testable import LatchkeyCertificates

/// PKCS#12 files built by hand, without a check value.
enum TestPFX {
    private static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 1]

    private static func item(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
        DERCursor.encode(tag, Array(parts.joined()))
    }

    /// `ContentInfo`.
    static func information(_ type: [UInt8], _ content: [UInt8]) -> [UInt8] {
        item(0x30, item(6, type), item(0xA0, content))
    }

    static func pfx(type: [UInt8], content: [UInt8]) -> [UInt8] {
        item(0x30, [2, 1, 3], information(type, content))
    }

    /// A file of these `ContentInfo`s.
    static func file(safes: [UInt8]) -> [UInt8] {
        pfx(type: data, content: item(4, item(0x30, safes)))
    }

    /// A file with one safe, not encrypted, of these bags.
    static func file(_ bags: [UInt8]) -> [UInt8] {
        file(safes: information(data, item(4, item(0x30, bags))))
    }

    private static let pkcs: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1]

    private static func bag(_ number: UInt8, _ content: [UInt8], _ attributes: [UInt8] = []) -> [UInt8] {
        item(0x30, item(6, pkcs + [12, 10, 1, number]), item(0xA0, content), attributes)
    }

    /// A `localKeyID`.
    private static func attribute(_ identifier: UInt8?) -> [UInt8] {
        guard let identifier else { return [] }
        return item(0x31, item(0x30, item(6, pkcs + [9, 21]), item(0x31, [4, 1, identifier])))
    }

    /// A key in PKCS#8.
    static func key(_ pkcs8: [UInt8], identifier: UInt8? = nil) -> [UInt8] { bag(1, pkcs8, attribute(identifier)) }

    static func certificate(_ certificate: Certificate, identifier: UInt8? = nil) -> [UInt8] {
        bag(3, item(0x30, item(6, pkcs + [9, 22, 1]), item(0xA0, item(4, certificate.der))), attribute(identifier))
    }

    /// Safes in safes, the innermost empty.
    static func nested(_ depth: Int) -> [UInt8] {
        (1..<depth).reduce([]) { inner, _ in bag(6, item(0x30, inner)) }
    }

    /// Bags with passwords, which these tests do not want.
    static func bags(_ count: Int) -> [UInt8] {
        let secret = bag(5, item(0x30, item(6, [0x2A, 3]), item(0xA0, [4, 0])))
        return Array(repeatElement(secret, count: count).joined())
    }

    private static let algorithm = item(0x30, item(6, [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]))

    static let signedData = item(
        0x30, [2, 1, 1], item(0x31, algorithm), item(0x30, item(6, data), item(0xA0, [4, 0])), [0x31, 0])
    static let envelopedData = item(
        0x30, [2, 1, 0], [0x31, 0], item(0x30, item(6, data), algorithm, [0x80, 0]))
    static let digestedData = item(0x30, [2, 1, 0], algorithm, item(0x30, item(6, data), item(0xA0, [4, 0])), [4, 0])
}
