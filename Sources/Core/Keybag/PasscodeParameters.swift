import LatchkeyCryptoSuite
package import LatchkeySecretMemory

/// The parameters that derive the passcode key from a passcode: scrypt, then HMAC-SHA256 under the device's UID.
package struct PasscodeParameters: Sendable, Equatable {
    package static let saltByteCount = 20
    /// 2^19 with r = 8 takes 512 MiB; more would fail on the machines this runs on.
    package static let log2CostRange: ClosedRange<UInt32> = 1...19

    package let salt: [UInt8]
    /// log2 of scrypt's N.
    package let log2Cost: UInt32
    package let blockSize: UInt32
    package let lanes: UInt32
    /// Nil for passcodes that were set before the strength was recorded.
    package let strength: PasscodeStrength?
    /// The duration of one try on this machine when the passcode was set; nil for the same passcodes.
    package let tryMicroseconds: UInt32?

    package init(
        salt: [UInt8], log2Cost: UInt32, strength: PasscodeStrength? = nil, tryMicroseconds: UInt32? = nil
    ) {
        precondition(salt.count == Self.saltByteCount && Self.log2CostRange.contains(log2Cost))
        self.salt = salt
        self.log2Cost = log2Cost
        blockSize = 8
        lanes = 1
        self.strength = strength
        self.tryMicroseconds = tryMicroseconds
    }

    /// Nil if the header has no scrypt records at all.
    init?(records: [KeybagRecord], salt: [UInt8]?) throws(KeybagFailure) {
        let cost = try records.number(.scryptCost, in: Self.log2CostRange)
        let blockSize = try records.number(.scryptBlockSize, in: 1...16)
        let lanes = try records.number(.scryptLanes, in: 1...16)
        if cost == nil, blockSize == nil, lanes == nil { return nil }
        guard let cost else { throw .missingRecord(.scryptCost) }
        guard let blockSize else { throw .missingRecord(.scryptBlockSize) }
        guard let lanes else { throw .missingRecord(.scryptLanes) }
        guard let salt else { throw .missingRecord(.salt) }
        self.salt = salt
        self.log2Cost = cost
        self.blockSize = blockSize
        self.lanes = lanes
        strength = try records.number(.strength, in: 1...3).flatMap { PasscodeStrength(rawValue: UInt8($0)) }
        tryMicroseconds = try records.number(.tryDuration, in: 0 ... .max)
    }

    var records: [KeybagRecord] {
        [
            KeybagRecord(.salt, salt), KeybagRecord(.scryptCost, log2Cost),
            KeybagRecord(.scryptBlockSize, blockSize), KeybagRecord(.scryptLanes, lanes),
        ] + (strength.map { [KeybagRecord(.strength, UInt32($0.rawValue))] } ?? [])
            + (tryMicroseconds.map { [KeybagRecord(.tryDuration, $0)] } ?? [])
    }

    /// Derives the passcode key. Blocks for the time that the cost requires.
    package func key(
        for passcode: SecretBox, on hardwareKey: HardwareKey
    ) throws(KeybagUnlockFailure) -> SecretBox {
        do throws(CryptoFailure) {
            let stretched = try PasswordKey.scrypt(
                passcode, salt: salt, cost: 1 << UInt64(log2Cost), blockSize: UInt64(blockSize), lanes: UInt64(lanes),
                count: 32)
            return hardwareKey.tangled(stretched)
        } catch {
            throw .unusableParameters
        }
    }
}
