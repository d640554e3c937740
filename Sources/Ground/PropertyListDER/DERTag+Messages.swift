import LatchkeyEncoding

/// The tags that only messages use.
extension DERTag {
    /// [APPLICATION 0]: index of a secret beside the message.
    static let secret: UInt8 = 0x40
    /// [APPLICATION 1], constructed: kind (UTF8String) and bytes (OCTET STRING) of an object.
    static let reference: UInt8 = 0x61
}
