import LatchkeyTestSupport
import Testing

/// A Wycheproof file, with the fields that the tests here use.
struct WycheproofFile: Decodable {
    struct Group: Decodable {
        let keySize, ivSize, tagSize: Int?
        let tests: [Case]
    }

    struct Case: Decodable {
        let tcId: Int
        let comment: String
        let result: Vectors.Outcome
        let key, iv, aad, msg, ct, tag: Hex?
        let password, salt, dk: Hex?
        let ikm, info, okm: Hex?
        let iterationCount, dkLen, size: Int?

        /// For people, when the case fails.
        var name: Comment { "case \(tcId) \(comment)" }
    }

    let numberOfTests: Int
    let testGroups: [Group]

    var cases: [Case] { testGroups.flatMap(\.tests) }

    static func named(_ name: String) throws -> WycheproofFile { try Vectors.wycheproof(name) }
}
