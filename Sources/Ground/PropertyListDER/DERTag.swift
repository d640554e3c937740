/// The tags of a property list in DER (X.690), with the two that only messages use.
enum DERTag {
    static let boolean: UInt8 = 0x01
    static let integer: UInt8 = 0x02
    static let octetString: UInt8 = 0x04
    static let null: UInt8 = 0x05
    static let utf8String: UInt8 = 0x0C
    static let generalizedTime: UInt8 = 0x18
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31
    /// [APPLICATION 0]: index of a secret beside the message.
    static let secret: UInt8 = 0x40
    /// [APPLICATION 1], constructed: kind (UTF8String) and bytes (OCTET STRING) of an object.
    static let reference: UInt8 = 0x61
}
