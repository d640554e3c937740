import Foundation
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// A Wycheproof file, with the fields that the tests here use.
struct WycheproofFile: Decodable {
    struct Group: Decodable {
        let keySize: Int?
        let ivSize: Int?
        let tagSize: Int?
        let tests: [Case]
    }

    struct Case: Decodable {
        enum Result: String, Decodable {
            case valid, invalid, acceptable
        }

        let tcId: Int
        let comment: String
        let result: Result
        let key, iv, aad, msg, ct, tag: Hex?
        let password, salt, dk: Hex?
        let iterationCount, dkLen: Int?
        let `public`, `private`, shared: Hex?

        /// For people, when the case fails.
        var name: Comment { "case \(tcId) \(comment)" }
    }

    struct Hex: Decodable {
        let bytes: [UInt8]

        init(from decoder: any Decoder) throws {
            let digits = Array(try decoder.singleValueContainer().decode(String.self).utf8)
            bytes = try stride(from: 0, to: digits.count, by: 2).map { index in
                let text = String(decoding: digits[index..<min(index + 2, digits.count)], as: UTF8.self)
                return try #require(UInt8(text, radix: 16))
            }
        }

        var secret: SecretBox { SecretBox(copying: bytes) }
    }

    let testGroups: [Group]

    static func named(_ name: String) throws -> WycheproofFile { try Vectors.wycheproof(name) }
}

extension SecretBox {
    /// The bytes, for comparing with a vector.
    var contents: [UInt8] { withBytes { Array($0) } }
}
