/// The tags of X.690 that occur here.
package enum DERTag {
    package static let boolean: UInt8 = 0x01
    package static let integer: UInt8 = 0x02
    package static let bitString: UInt8 = 0x03
    package static let octetString: UInt8 = 0x04
    package static let null: UInt8 = 0x05
    package static let objectIdentifier: UInt8 = 0x06
    package static let utf8String: UInt8 = 0x0C
    package static let numericString: UInt8 = 0x12
    package static let printableString: UInt8 = 0x13
    package static let t61String: UInt8 = 0x14
    package static let ia5String: UInt8 = 0x16
    package static let utcTime: UInt8 = 0x17
    package static let generalizedTime: UInt8 = 0x18
    package static let visibleString: UInt8 = 0x1A
    package static let universalString: UInt8 = 0x1C
    package static let bmpString: UInt8 = 0x1E
    package static let sequence: UInt8 = 0x30
    package static let set: UInt8 = 0x31

    /// The tag `[number]` with items inside.
    package static func explicit(_ number: UInt8) -> UInt8 { 0xA0 | number }

    /// The tag `[number]` with bytes inside.
    package static func implicit(_ number: UInt8) -> UInt8 { 0x80 | number }
}
