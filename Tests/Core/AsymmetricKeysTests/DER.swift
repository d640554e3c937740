/// DER made by hand, right and wrong.
enum DER {
    static func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        switch contents.count {
        case ..<0x80: [tag, UInt8(contents.count)] + contents
        case ..<0x100: [tag, 0x81, UInt8(contents.count)] + contents
        case ..<0x1_0000: [tag, 0x82, UInt8(contents.count >> 8), UInt8(contents.count & 0xFF)] + contents
        default:
            [tag, 0x83, UInt8(contents.count >> 16), UInt8(contents.count >> 8 & 0xFF), UInt8(contents.count & 0xFF)]
                + contents
        }
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] {
        value(0x30, Array(parts.joined()))
    }

    /// A number that is not negative, with the zero in front that it may need.
    static func number(_ bytes: [UInt8]) -> [UInt8] {
        value(2, bytes[0] >= 0x80 ? [0] + bytes : bytes)
    }

    static func octets(_ bytes: [UInt8]) -> [UInt8] { value(4, bytes) }

    static func bits(_ bytes: [UInt8]) -> [UInt8] { value(3, [0] + bytes) }

    static let null: [UInt8] = [5, 0]
    static let rsaEncryption: [UInt8] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]
    static let rsassaPSS: [UInt8] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 10]
    static let ecPublicKey: [UInt8] = [6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]
    static let p256: [UInt8] = [6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]
    static let secp256k1: [UInt8] = [6, 5, 0x2B, 0x81, 4, 0, 0x0A]
    static let pkcs5: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 5]
    static let pbkdf2 = value(6, pkcs5 + [12])
    static let pbes2 = value(6, pkcs5 + [13])
    static let pbeMD5DES = value(6, pkcs5 + [3])
    static let pbeSHA1TripleDES: [UInt8] = [6, 10, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 12, 1, 3]
    static let scrypt: [UInt8] = [6, 9, 0x2B, 6, 1, 4, 1, 0xDA, 0x47, 4, 11]
    static let aes256CBC: [UInt8] = [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 42]
    static let aes256GCM: [UInt8] = [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 46]
}
