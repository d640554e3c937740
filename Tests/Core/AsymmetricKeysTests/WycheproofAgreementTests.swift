import LatchkeyAsymmetricKeys
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// Peers that other people thought up to get at a private key, or to agree on something that an outsider knows.
@Suite struct WycheproofAgreementTests {
    struct File: Decodable {
        let testGroups: [Group]
    }

    struct Group: Decodable {
        let tests: [Case]
    }

    struct Case: Decodable {
        let tcId: Int
        let comment: String
        let flags: [String]
        let `public`: Hex
        let `private`: Number
        let shared: Hex
        let result: Vectors.Outcome
    }

    /// Hexadecimal of any length.
    struct Number: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
        }

        /// In the bytes of a coordinate.
        func bytes(_ count: Int) throws -> [UInt8] {
            let digits = String(repeating: "0", count: 2 * count) + text
            return try stride(from: 0, to: 2 * count, by: 2).map { index in
                try #require(UInt8(digits.suffix(2 * count).dropFirst(index).prefix(2), radix: 16))
            }
        }
    }

    /// SEC 1 in DER without the public half, which the vectors do not tell.
    private func key(_ test: Case, _ curve: Curve, _ name: [UInt8]) throws -> PrivateKey {
        let number = try test.private.bytes(curve.coordinateByteCount)
        let contents =
            [2, 1, 1, 4, UInt8(number.count)] + number + [0xA0, UInt8(name.count + 2), 6, UInt8(name.count)] + name
        return try PrivateKey(
            encoded: SecretBox(copying: [0x30, UInt8(contents.count)] + contents), passphrase: nil)
    }

    private func run(
        _ name: String, _ curve: Curve, _ curveName: [UInt8], _ peer: ([UInt8]) throws -> PublicKey
    ) throws -> Tally {
        var tally = Tally()
        for test in try Vectors.wycheproof(name, as: File.self).testGroups.flatMap(\.tests) {
            let key = try key(test, curve, curveName)
            let agreed = (try? peer(test.public.bytes)).flatMap { try? key.agree(with: $0) }
            switch test.result {
            case .valid: #expect(agreed?.contents == test.shared.bytes, "\(name) case \(test.tcId) \(test.comment)")
            case .invalid: #expect(agreed == nil, "\(name) case \(test.tcId) \(test.comment)")
            case .acceptable:
                #expect(
                    agreed == nil || agreed?.contents == test.shared.bytes,
                    "\(name) case \(test.tcId) \(test.comment)")
            }
            if agreed == nil { tally.refused += 1 } else { tally.accepted += 1 }
        }
        return tally
    }

    static let p256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]
    static let p384: [UInt8] = [0x2B, 0x81, 4, 0, 0x22]
    static let p521: [UInt8] = [0x2B, 0x81, 4, 0, 0x23]

    /// The acceptable one of each file is a compressed point, which external representations are not.
    @Test(
        "points as external representations",
        arguments: [
            ("ecdh_secp256r1_ecpoint", Curve.p256, p256, Tally(accepted: 330, refused: 25)),
            ("ecdh_secp384r1_ecpoint", .p384, p384, Tally(accepted: 771, refused: 19)),
            ("ecdh_secp521r1_ecpoint", .p521, p521, Tally(accepted: 632, refused: 29)),
        ])
    func points(_ name: String, _ curve: Curve, _ curveName: [UInt8], _ expected: Tally) throws {
        let found = try run(name, curve, curveName) { try PublicKey(externalRepresentation: $0, type: .ellipticCurve) }
        #expect(found == expected)
    }

    /// Acceptable are one compressed point, which is taken here, and curves described by numbers, which are refused.
    @Test(
        "keys as SubjectPublicKeyInfo",
        arguments: [
            ("ecdh_secp256r1", Curve.p256, p256, Tally(accepted: 331, refused: 281)),
            ("ecdh_secp384r1", .p384, p384, Tally(accepted: 772, refused: 275)),
            ("ecdh_secp521r1", .p521, p521, Tally(accepted: 633, refused: 283)),
        ])
    func keys(_ name: String, _ curve: Curve, _ curveName: [UInt8], _ expected: Tally) throws {
        let found = try run(name, curve, curveName) { try PublicKey(subjectPublicKeyInfo: $0) }
        #expect(found == expected)
    }
}
