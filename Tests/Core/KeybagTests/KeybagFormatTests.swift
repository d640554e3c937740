import LatchkeyKeybag
import Testing

@Suite struct KeybagFormatTests {
    static let uuid = [UInt8](repeating: 1, count: 16)
    static let header = [KeybagRecord(.version, 5), KeybagRecord(.type, 0), KeybagRecord(.uuid, uuid)]
    static let wrapped = [UInt8](repeating: 9, count: 40)

    static func classKey(_ number: UInt32, extra: [KeybagRecord] = []) -> [KeybagRecord] {
        [
            KeybagRecord(.uuid, [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16)),
            KeybagRecord(.keyClass, number), KeybagRecord(.wrapping, 2), KeybagRecord(.keyType, 0),
            KeybagRecord(.wrappedKey, wrapped),
        ] + extra
    }

    static func bytes(_ records: [KeybagRecord]...) -> [UInt8] {
        records.joined().flatMap(\.bytes)
    }

    @Test("a record is tag, length and value, big-endian") func record() {
        #expect(KeybagRecord(.iterations, 10_000).bytes == Array("ITER".utf8) + [0, 0, 0, 4, 0, 0, 0x27, 0x10])
        #expect(KeybagTag.publicKey.description == "PBKY")
        #expect(KeybagTag(rawValue: 0x4100_0A42).description == "A..B")
    }

    @Test("unknown tags and classes are kept in their places") func unknown() throws {
        let strange = KeybagRecord(KeybagTag(rawValue: 0x5A5A_5A5A), [1, 2, 3])
        let empty = KeybagRecord(KeybagTag(rawValue: 0x5A5A_5A5B), [UInt8]())
        let bytes = Self.bytes(
            Self.header, [strange, strange], Self.classKey(1, extra: [empty]), Self.classKey(14), Self.classKey(0x21))
        let keybag = try Keybag(parsing: bytes)
        #expect(keybag.bytes == bytes)
        #expect(keybag.classKeys.map(\.classNumber) == [1, 14, 0x21])
        #expect(keybag.classKeys[1].keyClass == nil)
        #expect(keybag.classKey(.fileComplete)?.classNumber == 0x21, "the newer generation of class 1")
    }

    static let refused: [([UInt8], KeybagFailure)] = [
        ([], .missingRecord(.version)),
        (bytes([KeybagRecord(.version, 5)]), .missingRecord(.type)),
        (bytes([KeybagRecord(.version, 5), KeybagRecord(.type, 0)]), .missingRecord(.uuid)),
        (Array("VERS".utf8), .truncated(offset: 0)),
        (Array("VERS".utf8) + [0, 0, 0, 4, 0, 0, 0], .truncated(offset: 0)),
        (Array("VERS".utf8) + [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 5], .truncated(offset: 0)),
        (bytes(header) + [0], .truncated(offset: 48)),
        (bytes(header + [KeybagRecord(.version, 5)]), .duplicateRecord(.version)),
        (bytes([KeybagRecord(.version, [5])] + header.dropFirst()), .badLength(.version, expected: [4], found: 1)),
        (
            bytes([KeybagRecord(.version, 5), KeybagRecord(.type, 0), KeybagRecord(.uuid, [1])]),
            .badLength(.uuid, expected: [16], found: 1)
        ),
        (bytes(header + [KeybagRecord(.salt, [1, 2])]), .badLength(.salt, expected: [20], found: 2)),
        (
            bytes(header + [KeybagRecord(.authenticationKey, [1])]),
            .badLength(.authenticationKey, expected: [40], found: 1)
        ),
        (bytes(header + [KeybagRecord(.iterations, 0)]), .outOfRange(.iterations, found: 0)),
        (bytes(header + [KeybagRecord(.iterations, 1_000_001)]), .outOfRange(.iterations, found: 1_000_001)),
        (
            bytes(header + [KeybagRecord(.firstRoundIterations, 20_000_001)]),
            .outOfRange(.firstRoundIterations, found: 20_000_001)
        ),
        (bytes(header + [KeybagRecord(.scryptCost, 20)]), .outOfRange(.scryptCost, found: 20)),
        (bytes(header + [KeybagRecord(.scryptCost, 14)]), .missingRecord(.scryptBlockSize)),
        (bytes(header + [KeybagRecord(.gracePeriod, 14_400_001)]), .outOfRange(.gracePeriod, found: 14_400_001)),
        (bytes(header + [KeybagRecord(.eraseOption, 2)]), .outOfRange(.eraseOption, found: 2)),
        (bytes(header, [KeybagRecord(.uuid, uuid)]), .missingRecord(.keyClass)),
        (bytes(header, Array(classKey(1).dropLast())), .missingRecord(.wrappedKey)),
        (bytes(header, classKey(1), classKey(1)), .duplicateClass(1)),
        (bytes(header, classKey(1, extra: [KeybagRecord(.keyClass, 1)])), .duplicateRecord(.keyClass)),
        (
            bytes(
                header,
                [
                    KeybagRecord(.uuid, uuid), KeybagRecord(.keyClass, 2), KeybagRecord(.wrapping, 2),
                    KeybagRecord(.keyType, 1), KeybagRecord(.wrappedKey, wrapped),
                ]),
            .missingRecord(.publicKey)
        ),
        (
            bytes(header, classKey(2, extra: [KeybagRecord(.publicKey, [1])])),
            .badLength(.publicKey, expected: [32], found: 1)
        ),
        (
            bytes(
                header,
                [
                    KeybagRecord(.uuid, uuid), KeybagRecord(.keyClass, 1), KeybagRecord(.wrapping, 2),
                    KeybagRecord(.wrappedKey, [UInt8](repeating: 0, count: 41)),
                ]),
            .badLength(.wrappedKey, expected: [32, 40, 48], found: 41)
        ),
        ([UInt8](repeating: 0, count: 65_537), .tooLarge(found: 65_537, limit: 65_536)),
        ([UInt8](repeating: 0, count: 8 * 1025), .tooManyRecords(limit: 1024)),
        (
            bytes(header) + (0..<65).flatMap { bytes(classKey(UInt32($0) << 4 | 1)) },
            .tooManyClassKeys(limit: 64)
        ),
    ]

    @Test("bytes that are not a valid keybag are refused with the reason", arguments: refused)
    func refusal(_ bytes: [UInt8], _ failure: KeybagFailure) {
        #expect(throws: failure) { _ = try Keybag(parsing: bytes) }
    }

    @Test("wrapped keys have 32, 40 or 48 bytes", arguments: [32, 40, 48])
    func wrappedLengths(count: Int) throws {
        let key = [
            KeybagRecord(.uuid, Self.uuid), KeybagRecord(.keyClass, 1), KeybagRecord(.wrapping, 1),
            KeybagRecord(.wrappedKey, [UInt8](repeating: 0, count: count)),
        ]
        #expect(try Keybag(parsing: Self.bytes(Self.header, key)).classKeys[0].wrappedKey.count == count)
    }

    @Test("mutated keybags never crash, and what parses writes the same bytes", arguments: 0..<8)
    func mutations(seed: UInt64) throws {
        let whole = try BackupVectors.keybagOfManifest("sample-unencrypted/Manifest.plist")
        var state = seed &+ 1
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        for _ in 0..<1000 {
            var bytes = whole
            for _ in 0...random(3) {
                let place = random(bytes.count)
                switch random(3) {
                case 0: bytes[place] = UInt8(random(256))
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random(40)))
                default: bytes.insert(UInt8(random(256)), at: place)
                }
                if bytes.isEmpty { break }
            }
            if let keybag = try? Keybag(parsing: bytes) { #expect(keybag.bytes == bytes, "seed \(seed)") }
        }
    }
}
