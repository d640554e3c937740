import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeySecretMemory
import Testing

/// Private numbers by FIPS 186-5 A.2.1: c mod (n - 1) + 1.
@Suite("Keys of P-256 from random bytes") struct DerivedKeyTests {
    /// n - 1, in 40 bytes.
    private static let orderLessOne: [UInt8] =
        [UInt8](repeating: 0, count: 8) + [
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD,
            0xA7,
            0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x50,
        ]

    private static func number(_ random: [UInt8]) throws -> [UInt8] {
        let key = try PrivateKey(curve: .p256, randomBytes: SecretBox(copying: random))
        return key.externalRepresentation.withBytes { Array($0.suffix(32)) }
    }

    private static func small(_ last: UInt8, _ count: Int = 32) -> [UInt8] {
        [UInt8](repeating: 0, count: count - 1) + [last]
    }

    @Test("the number is c mod (n - 1) + 1, so never zero and never the order") func reduction() throws {
        #expect(try Self.number(Self.small(0, 40)) == Self.small(1))
        #expect(try Self.number(Self.small(6, 40)) == Self.small(7))
        #expect(try Self.number(Self.orderLessOne) == Self.small(1))
        var lessTwo = Self.orderLessOne
        lessTwo[39] -= 1
        #expect(try Self.number(lessTwo) == Array(Self.orderLessOne.suffix(32)))
        // The number 2^320 - 1, computed with another program.
        #expect(
            try Self.number([UInt8](repeating: 0xFF, count: 40)) == Self.allOnes)
    }

    private static let allOnes: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFE, 0x00, 0x00, 0x00, 0x01, 0x43, 0x19, 0x05, 0x52, 0x9C, 0x01, 0x66, 0xCD,
        0x22, 0x15, 0x91, 0x65, 0xB6, 0xFA, 0xAE, 0x71, 0xF7, 0x56, 0xA5, 0x72, 0xFC, 0x63, 0x25, 0x50,
    ]

    @Test("other lengths, and a curve whose order is shorter than its coordinates, are refused") func lengths() {
        for count in [0, 32, 39, 41] {
            #expect(throws: KeyFailure.self) {
                try PrivateKey(curve: .p256, randomBytes: SecretBox(copying: [UInt8](repeating: 1, count: count)))
            }
        }
        #expect(throws: KeyFailure.self) {
            try PrivateKey(
                curve: .p521,
                randomBytes: SecretBox(copying: [UInt8](repeating: 1, count: PrivateKey.randomByteCount(.p521))))
        }
    }
}
