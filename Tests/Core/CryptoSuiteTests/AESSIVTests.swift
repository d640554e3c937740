import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@Suite("AES-SIV")
struct AESSIVTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let associatedData: [[UInt8]]
        let text: [UInt8]
        let sealed: [UInt8]

        var testDescription: String { "\(associatedData.count) parts, \(text.count) bytes" }
    }

    private static let key = SecretBox(copying: [UInt8](0..<64))

    /// Computed with `AES.MODE_SIV` of pycryptodome 4.4.0, which does not use OpenSSL, under the key 00 … 3f.
    static let rows = [
        Row(
            associatedData: [Array("name".utf8), [UInt8](0..<16)],
            text: Array("letter.txt".utf8) + [UInt8](repeating: 0, count: 6),
            sealed: bytes("aa161c51f3d47bcebd17f97ce6b0633b19828a6a86a769b7338e632455cac561")),
        Row(
            associatedData: [Array("target".utf8), [UInt8](100..<116)], text: Array("x".utf8),
            sealed: bytes("de1bd0977daedfbedc6e356996dd3e43a5")),
        Row(
            associatedData: [
                Array("value".utf8), [UInt8](repeating: 9, count: 16), Array("user.a".utf8),
                [UInt8](repeating: 7, count: 16),
            ],
            text: [UInt8](0..<33),
            sealed: bytes(
                "4bdc1e6dddda5c6335ee336cdf1578eafa3e49b177c43d5ef94cf098b5c9a47908a2bd709ea18615e28a0275a0c8dc96a3")),
        Row(
            associatedData: [], text: [UInt8](0..<16),
            sealed: bytes("bcfa11bfad493796dce5f460fa29dd3aae3ad5a20ea71e5a0a00e7ef512c66c5")),
        Row(
            associatedData: [Array("attribute".utf8), [UInt8](repeating: 0, count: 16)], text: [UInt8](0...255),
            sealed: bytes(
                "49545b7ad1a84d0bfedc5da3db25fe3f038e91aed1d8c41aeb1ef7185a901b0b28a6d1b6acea6defcded44d6681cf8db"
                    + "1876e114f16e0242b18e466adae80c0ceca7c8952069f63995ea21bc4367c6b286736014798515c61b32abf533062908"
                    + "d0395e51de563bba157f14908a309f632a8be92497bdee19ca019e064bc165a060705bfefc7ed52c243da930cf136bfa"
                    + "a1228f53e77a9cbfe04b5050e8e086115af2afde2861b1e5fe576fa53781104819a87d16b6f4cfbf0de1824398901fd3"
                    + "5fef1d0e8cebda230d2f0f33cba12d485360e9363b743493661372ad388339dcee7d37b54d8db705ce7b8c95f9a8096d"
                    + "56b2287a938c4af349a3462f529f19549f57c4ddb04e284245e55e1eec7f306e")),
    ]

    private static func seal(_ text: [UInt8], _ associatedData: [[UInt8]], key: SecretBox = key) -> [UInt8] {
        text.withUnsafeBytes { AESSIV(key: key).seal($0, associatedData: associatedData) }
    }

    /// Nil if the sealed form is refused; then nothing of the text is left.
    private static func open(_ sealed: [UInt8], _ associatedData: [[UInt8]], key: SecretBox = key) -> [UInt8]? {
        var text = [UInt8](repeating: 0xEE, count: sealed.count - AESSIV.overhead)
        let isOpened = text.withUnsafeMutableBytes { text in
            sealed.withUnsafeBytes { AESSIV(key: key).open($0, associatedData: associatedData, into: text) }
        }
        if !isOpened { #expect(text.allSatisfy { $0 == 0 }) }
        return isOpened ? text : nil
    }

    @Test("gives what another implementation gives", arguments: rows)
    func knownAnswers(_ row: Row) {
        #expect(Self.seal(row.text, row.associatedData) == row.sealed)
        #expect(Self.open(row.sealed, row.associatedData) == row.text)
    }

    @Test("refuses a sealed form with any bit of any byte altered", arguments: rows)
    func altered(_ row: Row) {
        for index in row.sealed.indices {
            var sealed = row.sealed
            sealed[index] ^= 1 << UInt8(index % 8)
            #expect(Self.open(sealed, row.associatedData) == nil)
        }
    }

    @Test("refuses a sealed form that was cut, or has more", arguments: rows.filter { $0.text.count > 1 })
    func length(_ row: Row) {
        #expect(Self.open(row.sealed.dropLast(), row.associatedData) == nil)
        #expect(Self.open(row.sealed + [0], row.associatedData) == nil)
    }

    @Test("refuses other associated data: less, more, in another order, divided in another way")
    func associatedData() {
        let row = Self.rows[2]
        var other = row.associatedData
        other[3][0] ^= 1
        let first = row.associatedData[0]
        let rest = Array(row.associatedData.dropFirst())
        let divided = [Array(first.dropLast()), [first[first.count - 1]] + rest[0]] + rest.dropFirst()
        for associatedData in [[], rest, row.associatedData + [[1]], row.associatedData.reversed(), other, divided] {
            #expect(Self.open(row.sealed, associatedData) == nil)
            #expect(Self.seal(row.text, associatedData) != row.sealed)
        }
    }

    @Test("uses both halves of its key", arguments: [0, 31, 32, 63])
    func keys(_ index: Int) {
        let row = Self.rows[0]
        var bytes = [UInt8](0..<64)
        bytes[index] ^= 1
        let other = SecretBox(copying: bytes)
        #expect(Self.seal(row.text, row.associatedData, key: other) != row.sealed)
        #expect(Self.open(row.sealed, row.associatedData, key: other) == nil)
    }
}

private func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
