/// The records of a keybag in front of its class keys.
package struct KeybagHeader: Sendable, Equatable {
    package enum Kind: UInt32, Sendable {
        case system = 0
        case backup = 1
        case escrow = 2
        case overTheAir = 3
    }

    /// All records in their order, known or not.
    package let records: [KeybagRecord]
    package let version: UInt32
    /// With the flags in the two highest bits.
    package let type: UInt32
    package let uuid: [UInt8]
    package let wrapping: UInt32
    package let salt: [UInt8]?
    package let iterations: UInt32?
    package let firstRoundIterations: UInt32?
    package let firstRoundSalt: [UInt8]?
    /// Of a Latchkey system keybag with a passcode.
    package let passcodeParameters: PasscodeParameters?
    package let settings: DeviceSettings

    /// The kind without flags, nil if unknown.
    package var kind: Kind? { Kind(rawValue: type & 0x3FFF_FFFF) }

    package init(records: [KeybagRecord]) throws(KeybagFailure) {
        self.records = records
        version = try records.required(.version).number()
        type = try records.required(.type).number()
        uuid = try records.required(.uuid).bytes(ofLength: 16)
        wrapping = try records.only(.wrapping)?.number() ?? 0
        if let key = try records.only(.authenticationKey) { _ = try key.bytes(ofLength: 40) }
        salt = try records.only(.salt)?.bytes(ofLength: 20)
        iterations = try records.number(.iterations, in: KeybagLimits.iterations)
        firstRoundIterations = try records.number(.firstRoundIterations, in: KeybagLimits.firstRoundIterations)
        firstRoundSalt = try records.only(.firstRoundSalt)?.bytes(ofLength: 20)
        passcodeParameters = try PasscodeParameters(records: records, salt: salt)
        settings = try DeviceSettings(records: records)
    }

    /// Makes the header of a system keybag of Latchkey.
    package init(uuid: [UInt8], passcodeParameters: PasscodeParameters?, settings: DeviceSettings) {
        precondition(uuid.count == 16, "a keybag's UUID has 16 bytes")
        let wrapping: ClassKeyWrapping = passcodeParameters == nil ? .deviceKey : [.deviceKey, .passcodeKey]
        version = 5
        type = Kind.system.rawValue
        self.uuid = uuid
        self.wrapping = wrapping.rawValue
        salt = passcodeParameters?.salt
        iterations = nil
        firstRoundIterations = nil
        firstRoundSalt = nil
        self.passcodeParameters = passcodeParameters
        self.settings = settings
        records =
            [
                KeybagRecord(.version, version), KeybagRecord(.type, type), KeybagRecord(.uuid, uuid),
                KeybagRecord(.wrapping, wrapping.rawValue),
            ] + (passcodeParameters?.records ?? []) + settings.records
    }
}

extension [KeybagRecord] {
    /// Returns the number in the record with this tag, nil if there is none.
    func number(_ tag: KeybagTag, in range: ClosedRange<UInt32>) throws(KeybagFailure) -> UInt32? {
        guard let number = try only(tag)?.number() else { return nil }
        guard range.contains(number) else { throw .outOfRange(tag, found: number) }
        return number
    }
}
