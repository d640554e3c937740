/// The keys that wrap a class key.
package struct ClassKeyWrapping: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The inner layer, bound to this device.
    package static let deviceKey = ClassKeyWrapping(rawValue: 1)
    /// The outer layer, bound to the passcode or backup password.
    package static let passcodeKey = ClassKeyWrapping(rawValue: 2)
}

/// A wrapped class key and the class it belongs to.
package struct WrappedClassKey: Sendable, Equatable {
    package enum KeyType: Sendable, Equatable {
        case aes
        case curve25519
        case other(UInt32)

        init(_ number: UInt32) {
            switch number {
            case 0: self = .aes
            case 1: self = .curve25519
            default: self = .other(number)
            }
        }

        var number: UInt32 {
            switch self {
            case .aes: 0
            case .curve25519: 1
            case .other(let number): number
            }
        }
    }

    /// All records in their order, known or not.
    package let records: [KeybagRecord]
    package let uuid: [UInt8]
    /// Low four bits: the class; higher bits: the generation of its key.
    package let classNumber: UInt32
    package let wrapping: ClassKeyWrapping
    package let keyType: KeyType
    package let wrappedKey: [UInt8]
    package let publicKey: [UInt8]?

    /// Nil for a class that this implementation does not use.
    package var keyClass: KeyClass? { KeyClass(rawValue: UInt8(classNumber & 0xF)) }

    package init(records: [KeybagRecord]) throws(KeybagFailure) {
        self.records = records
        uuid = try records.required(.uuid).bytes(ofLength: 16)
        classNumber = try records.required(.keyClass).number()
        wrapping = ClassKeyWrapping(rawValue: try records.required(.wrapping).number())
        // The oldest keybags have no KTYP.
        keyType = KeyType(try records.only(.keyType)?.number() ?? 0)
        wrappedKey = try records.required(.wrappedKey).bytes(ofLength: 32, 40, 48)
        publicKey = try records.only(.publicKey)?.bytes(ofLength: 32)
        if keyType == .curve25519, publicKey == nil { throw .missingRecord(.publicKey) }
    }

    package init(
        uuid: [UInt8], keyClass: KeyClass, wrapping: ClassKeyWrapping, wrappedKey: [UInt8], publicKey: [UInt8]?
    ) {
        precondition(uuid.count == 16, "a class key's UUID has 16 bytes")
        self.uuid = uuid
        classNumber = UInt32(keyClass.rawValue)
        self.wrapping = wrapping
        keyType = publicKey == nil ? .aes : .curve25519
        self.wrappedKey = wrappedKey
        self.publicKey = publicKey
        records =
            [
                KeybagRecord(.uuid, uuid), KeybagRecord(.keyClass, classNumber),
                KeybagRecord(.wrapping, wrapping.rawValue), KeybagRecord(.keyType, keyType.number),
                KeybagRecord(.wrappedKey, wrappedKey),
            ] + (publicKey.map { [KeybagRecord(.publicKey, $0)] } ?? [])
    }
}
