import LatchkeyCryptoSuite
import LatchkeyPropertyListDER
import Testing

@testable import LatchkeySyncCore

/// The encoding of statements: Docs/Formats/sync.md.
@Suite struct StatementCodecTests {
    @Test("every kind of statement survives encoding and decoding") func roundTrip() throws {
        for (name, statement, keys) in try StatementSamples.all() {
            let signed = try HashSignatures.sign(statement, keys: keys)
            let parsed = try SignedStatement(parsing: signed.bytes)
            #expect(parsed == signed, "\(name)")
            #expect(parsed.bytes == signed.bytes, "\(name)")
            #expect(try parsed.verified(with: keys, by: HashSignatures()).statement == statement, "\(name)")
        }
    }

    @Test("a statement has the bytes of the fixture") func fixture() throws {
        guard let circle = CircleIdentifier(Array(0..<16)), let parent = ObjectHash(Array(32..<64)),
            let device = DeviceIdentifier(Array(16..<32))
        else { return }
        let statement = try Statement(
            circle: circle, author: .device(device), index: 7, parents: [parent], date: 256,
            body: .leave(Leave(counted: CountedSegments(a: 1, c: 2))))
        // SET { "c" circle, "i" 7, "k" 4, "t" 256, "a" author, "p" parents, "b" { "n" segments } } in the order of the encoded bytes.
        let body: [UInt8] =
            [0x31, 0x81, 0x8F]
            + [0x30, 0x06, 0x0C, 0x01, 0x69, 0x02, 0x01, 0x07]
            + [0x30, 0x06, 0x0C, 0x01, 0x6B, 0x02, 0x01, 0x04]
            + [0x30, 0x07, 0x0C, 0x01, 0x74, 0x02, 0x02, 0x01, 0x00]
            + [0x30, 0x15, 0x0C, 0x01, 0x63, 0x04, 0x10] + Array(0..<16)
            + [0x30, 0x16, 0x0C, 0x01, 0x61, 0x04, 0x11, 0x01] + Array(16..<32)
            + [0x30, 0x1C, 0x0C, 0x01, 0x62, 0x31, 0x17, 0x30, 0x15, 0x0C, 0x01, 0x6E, 0x04, 0x10]
            + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2]
            + [0x30, 0x27, 0x0C, 0x01, 0x70, 0x30, 0x22, 0x04, 0x20] + Array(32..<64)
        let bytes = Array("LKSY".utf8) + [1, 1, 0, 0, 0, UInt8(body.count)] + body
        #expect(try statement.content().bytes == bytes)
        #expect(try Statement(parsing: ObjectContent(kind: .statement, body: body)) == statement)
    }

    /// The hashes of the samples. A change of the format changes them, and needs a new version.
    static let hashes: [String: String] = [
        "found": "7e90d4f91add2c7ed05eb3ad366727eb2ad8da958b89060c714f6fd98f2f490f",
        "admit": "ba971cab3384973ef21fcf170ffd67721f884d29e2102cfae00db0cf0fbf2cea",
        "admit without share, by recovery": "ab59436405a26d86046c23acf5d9a89a485c4339bc46bebe2b7aef334e241210",
        "remove": "7723cb4fbb1db3a1e37f1bc9eab7d882b275ab5ac0efc9b350d85ac9436b5038",
        "remove with new recovery keys": "eb427e08ea403c8fd958adf8da41adc623d2faef6470efb4d9f9ab6ad74e45ae",
        "leave": "55aca852cd7506647008a4c011fb0f5d4df0dbc8343b4084555b310a4d2ad857",
        "epoch": "6142182b130105724402a3d1df654bcb80f55674b2dcab5ed455cf25c974105a",
        "share": "330cdd361dbdc96640505a9c58086a06a676b39f1e62720370aeab84bb6b6eac",
        "recovery": "154b1d0cc9acbfea692f9f737bf3884660bdf0f1eb6f1ad8c68d90cf7bd40dfe",
        "settings": "6c6f1ee572582adc94df4dc6c460c8c55f2afbf62f43b54f1b8c08579667cb0d",
    ]

    @Test("the samples have the hashes of version 1") func hashes() throws {
        for (name, statement, _) in try StatementSamples.all() {
            let hash = try statement.content().hash.description
            #expect(hash == Self.hashes[name], "\(name)")
        }
    }

    @Test("identifiers are hashes of a version byte and the keys (5.2)") func identifiers() throws {
        let device = SampleParties.devices[3]
        #expect(device.bytes.count == 4 * 65 + 2 * 1184)
        #expect(device.identifier.bytes == Array(sha256([1] + device.bytes).prefix(16)))
        let recovery = SampleParties.recoveries[3]
        #expect(recovery.identifier.bytes == Array(sha256([1] + recovery.bytes).prefix(16)))
        let founding = try HashSignatures.sign(
            Statement(founding: SampleParties.founding, date: 0), keys: .device(SampleParties.devices[0]))
        let verified = try founding.verified(with: .device(SampleParties.devices[0]), by: HashSignatures())
        #expect(verified.circle.bytes == Array(verified.hash.bytes.prefix(16)))
    }

    @Test("cut bytes are refused at every length") func truncation() throws {
        for (name, statement, keys) in try StatementSamples.all() {
            let bytes = try HashSignatures.sign(statement, keys: keys).bytes
            let step = max(1, bytes.count / 400)
            for count in stride(from: 0, to: bytes.count, by: step) {
                #expect(throws: StatementFailure.self, "\(name) \(count)") {
                    try SignedStatement(parsing: Array(bytes[..<count]))
                }
            }
            #expect(throws: StatementFailure.self, "\(name)") { try SignedStatement(parsing: bytes + [0]) }
        }
    }

    /// Long runs of key material are alike: there every 61st byte is altered, elsewhere each.
    @Test("an altered bit is refused, or does not verify") func flippedBits() throws {
        for (name, statement, keys) in try StatementSamples.all() {
            let bytes = try HashSignatures.sign(statement, keys: keys).bytes
            let positions = bytes.indices.filter { $0 < 120 || $0 >= bytes.count - 70 || $0 % 61 == 0 }
            for position in positions {
                for bit in 0..<8 {
                    var altered = bytes
                    altered[position] ^= 1 << UInt8(bit)
                    guard let parsed = try? SignedStatement(parsing: altered) else { continue }
                    #expect(parsed.bytes == altered, "\(name) \(position)")
                    #expect(throws: StatementFailure.self, "\(name) \(position)") {
                        try parsed.verified(with: keys, by: HashSignatures())
                    }
                }
            }
        }
    }

    @Test("each bit of a short statement") func everyBit() throws {
        guard let sample = try StatementSamples.all().first(where: { $0.name == "leave" }) else { return }
        let bytes = try HashSignatures.sign(sample.statement, keys: sample.keys).bytes
        for bit in 0..<bytes.count * 8 {
            var altered = bytes
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let parsed = try? SignedStatement(parsing: altered) else { continue }
            #expect(parsed.bytes == altered)
            #expect(throws: StatementFailure.self) { try parsed.verified(with: sample.keys, by: HashSignatures()) }
        }
    }
}
