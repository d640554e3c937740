import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@Suite("HKDF-SHA256") struct HKDFTests {
    private struct File: Decodable {
        struct Group: Decodable { let tests: [Case] }
        struct Case: Decodable {
            let tcId: Int
            let comment: String
            let result: Vectors.Outcome
            let ikm, salt, info, okm: WycheproofFile.Hex
            let size: Int
        }
        let testGroups: [Group]
    }

    @Test("Wycheproof") func wycheproof() throws {
        let file: File = try Vectors.wycheproof("hkdf_sha256")
        var (valid, invalid) = (0, 0)
        for test in file.testGroups.flatMap(\.tests) {
            let derived = try? HKDFSHA256.derive(
                test.ikm.secret, salt: test.salt.bytes, info: test.info.bytes, count: test.size)
            switch test.result {
            case .valid:
                #expect(derived?.contents == test.okm.bytes, "case \(test.tcId) \(test.comment)")
                valid += 1
            case .invalid, .acceptable:
                #expect(derived == nil, "case \(test.tcId) \(test.comment)")
                invalid += 1
            }
        }
        #expect([valid, invalid] == [83, 3])
    }

    private struct Example: Sendable {
        let input, salt, info: [UInt8]
        let output: String
    }

    /// RFC 5869, appendix A.1 to A.3.
    private static let examples = [
        Example(
            input: [UInt8](repeating: 0x0B, count: 22), salt: Array(0...12), info: Array(0xF0...0xF9),
            output: """
                3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865
                """),
        Example(
            input: Array(0...0x4F), salt: Array(0x60...0xAF), info: Array(0xB0...0xFF),
            output: """
                b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09\
                da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
                """),
        Example(
            input: [UInt8](repeating: 0x0B, count: 22), salt: [], info: [],
            output: """
                8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8
                """),
    ]

    @Test("RFC 5869", arguments: 0..<3) func rfc(index: Int) throws {
        let example = Self.examples[index]
        let derived = try HKDFSHA256.derive(
            SecretBox(copying: example.input), salt: example.salt, info: example.info,
            count: example.output.count / 2)
        #expect(Hex(derived.contents).text == example.output)
    }

    @Test("nothing, and more than 255 digests, is refused", arguments: [0, -1, 8161]) func lengths(count: Int) {
        #expect(throws: CryptoFailure.badLength(found: count)) {
            try HKDFSHA256.derive(SecretBox(copying: [1]), info: [], count: count)
        }
    }
}
