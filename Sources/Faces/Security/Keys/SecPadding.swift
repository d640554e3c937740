/// The padding of bytes in the older calls; none is `[]`.
public struct SecPadding: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let PKCS1 = Self(rawValue: 1)
    public static let OAEP = Self(rawValue: 2)
    /// Of elliptic curves: the two numbers without ASN.1.
    public static let sigRaw = Self(rawValue: 0x4000)
    public static let PKCS1MD2 = Self(rawValue: 0x8000)
    public static let PKCS1MD5 = Self(rawValue: 0x8001)
    public static let PKCS1SHA1 = Self(rawValue: 0x8002)
    public static let PKCS1SHA224 = Self(rawValue: 0x8003)
    public static let PKCS1SHA256 = Self(rawValue: 0x8004)
    public static let PKCS1SHA384 = Self(rawValue: 0x8005)
    public static let PKCS1SHA512 = Self(rawValue: 0x8006)
}
