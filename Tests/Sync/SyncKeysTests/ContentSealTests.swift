import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeySyncCore
import Testing

@testable import LatchkeySyncKeys

@Suite("Sealed content") struct ContentSealTests {
    private static let stream = StreamIdentifier(Sample.device, .c)
    private static let header = Array("header".utf8)

    private static func seal(
        _ piece: ContentSeal.Piece = .segment(Dot(stream, 1)), circle: CircleIdentifier = Sample.circle,
        epoch: ObjectHash = Sample.epoch, key: ZoneKey = Sample.keyC
    ) -> ContentSeal {
        ContentSeal(piece, in: circle, epoch, zoneKey: key)
    }

    @Test("is opened again, at every length around the steps") func lengths() throws {
        let seal = Self.seal()
        let entropy = SeededEntropy(seed: 1)
        for (count, padded) in [
            (0, 1024), (1, 1024), (1020, 1024), (1021, 2048), (2044, 2048), (2045, 4096), (4092, 4096), (4093, 8192),
            (8188, 8192), (8189, 12288), (1 << 20, (1 << 20) + 4096),
        ] {
            let content = SecretBox(from: entropy, count: count)
            let sealed = seal.seal(content, header: Self.header, entropy: entropy)
            #expect(sealed.count == padded + ContentSeal.overhead)
            #expect(sealed.count == ContentSeal.sealedByteCount(count))
            #expect(try seal.open(sealed, header: Self.header).equals(content))
        }
    }

    @Test("opens in no other place, and with no other header or key") func bindings() throws {
        let sealed = Self.seal().seal(SecretBox("content"), header: Self.header, entropy: SeededEntropy(seed: 1))
        let otherDevice = try #require(DeviceIdentifier(Sample.fixed("another device", 16)))
        let otherCircle = try #require(CircleIdentifier(Sample.fixed("another circle", 16)))
        for other in [
            Self.seal(.segment(Dot(Self.stream, 2))),
            Self.seal(.segment(Dot(StreamIdentifier(Sample.device, .a), 1))),
            Self.seal(.segment(Dot(StreamIdentifier(otherDevice, .c), 1))),
            Self.seal(.snapshotPart(Self.stream, number: 1, part: 0)),
            Self.seal(circle: otherCircle), Self.seal(epoch: Sample.earlier), Self.seal(key: Sample.keyA),
        ] {
            #expect(throws: SealFailure.notAuthentic) { try other.open(sealed, header: Self.header) }
        }
        #expect(throws: SealFailure.notAuthentic) { try Self.seal().open(sealed, header: []) }
        for index in [0, 11, 12, 500, sealed.count - 16, sealed.count - 1] {
            var altered = sealed
            altered[index] ^= 1
            #expect(throws: SealFailure.notAuthentic) { try Self.seal().open(altered, header: Self.header) }
        }
        for count in [0, 12, 27, 28, sealed.count - 1] {
            #expect(throws: SealFailure.self) {
                try Self.seal().open(Array(sealed.prefix(count)), header: Self.header)
            }
        }
    }

    @Test("parts of snapshots have keys of their own") func parts() throws {
        let entropy = SeededEntropy(seed: 1)
        let pieces: [ContentSeal.Piece] = [
            .snapshotPart(Self.stream, number: 1, part: 0), .snapshotPart(Self.stream, number: 1, part: 1),
            .snapshotPart(Self.stream, number: 2, part: 0), .segment(Dot(Self.stream, 1)),
        ]
        let sealed = pieces.map { Self.seal($0).seal(SecretBox("part"), header: [], entropy: entropy) }
        for (row, piece) in pieces.enumerated() {
            for (column, bytes) in sealed.enumerated() {
                let opened = try? Self.seal(piece).open(bytes, header: [])
                #expect((opened != nil) == (row == column))
            }
        }
    }

    @Test("has a random nonce: the same content is never the same bytes") func nonces() {
        let (seal, entropy) = (Self.seal(), SystemEntropy())
        let content = SecretBox("content")
        let sealed = (0..<20).map { _ in seal.seal(content, header: [], entropy: entropy) }
        #expect(Set(sealed).count == 20)
    }

    @Test(
        "that a member padded otherwise is refused",
        arguments: [
            ([0, 0, 0, 1, 7], 1024, true), ([0, 0, 0, 1, 7], 2048, false), ([0, 0, 0, 1, 7, 1], 1024, false),
            ([0, 0, 4, 0], 1024, false), ([0xFF, 0xFF, 0xFF, 0xFF], 1024, false), ([0, 0, 0, 0], 4, false),
            ([0, 0, 0, 0], 3, false), ([], 0, false),
        ] as [([UInt8], Int, Bool)])
    func padding(_ start: [UInt8], _ count: Int, _ isRight: Bool) {
        let padded = Array((start + [UInt8](repeating: 0, count: 4096)).prefix(count))
        #expect((ContentPadding.content(of: SecretBox(copying: padded)) != nil) == isRight)
    }

    @Test("a device's description opens for its device, circle and epoch alone") func description() throws {
        let entropy = SeededEntropy(seed: 2)
        let long = String(repeating: "x", count: 255)
        for (name, system) in [("", ""), ("phone", "Debian 12"), (long, long)] {
            let description = try #require(DeviceDescription(name: name, system: system))
            let sealed = description.sealed(
                for: Sample.device, in: Sample.circle, Sample.epoch, zoneKeyC: Sample.keyC, entropy: entropy)
            #expect(sealed.count <= DeviceDescription.sealedByteLimit && (sealed.count - 28) % 64 == 0)
            func opened(_ device: DeviceIdentifier, _ epoch: ObjectHash, _ key: ZoneKey) -> DeviceDescription? {
                DeviceDescription(opening: sealed, of: device, in: Sample.circle, epoch, zoneKeyC: key)
            }
            #expect(opened(Sample.device, Sample.epoch, Sample.keyC) == description)
            let other = try #require(DeviceIdentifier(Sample.fixed("another device", 16)))
            #expect(opened(other, Sample.epoch, Sample.keyC) == nil)
            #expect(opened(Sample.device, Sample.earlier, Sample.keyC) == nil)
            #expect(opened(Sample.device, Sample.epoch, Sample.keyA) == nil)
        }
        #expect(DeviceDescription(name: long + "x", system: "") == nil)
        #expect(DeviceDescription(name: "", system: long + "x") == nil)
    }
}
