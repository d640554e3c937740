import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeyTestSupport
import Testing

/// Signatures that other people thought up to be accepted where they must not.
@Suite struct WycheproofSignatureTests {
    struct File: Decodable {
        let testGroups: [Group]
    }

    struct Group: Decodable {
        let publicKey: PointOrModulus?
        let publicKeyDer: Hex?
        let publicKeyAsn: Hex?
        let sha: String
        let mgfSha: String?
        let sLen: Int?
        let tests: [Case]
    }

    struct PointOrModulus: Decodable {
        let uncompressed: Hex?
    }

    struct Case: Decodable {
        let tcId: Int
        let comment: String
        let msg, sig: Hex
        let result: Vectors.Outcome
    }

    /// Every case of a file; `isOurs` tells whether we have an algorithm with the group's parameters.
    private func run(
        _ name: String, _ algorithm: (DigestAlgorithm) -> SignatureAlgorithm, isOurs: (Group) -> Bool = { _ in true }
    ) throws -> Tally {
        var tally = Tally()
        let file = try Vectors.wycheproof(name, as: File.self)
        for group in file.testGroups {
            let digest = DigestAlgorithm(wycheproof: group.sha)
            let key = try PublicKey(subjectPublicKeyInfo: try #require(group.publicKeyDer).bytes)
            if let point = group.publicKey?.uncompressed {
                #expect(try PublicKey(externalRepresentation: point.bytes, type: .ellipticCurve) == key)
            }
            if let modulus = group.publicKeyAsn {
                #expect(try PublicKey(externalRepresentation: modulus.bytes, type: .rsa) == key)
            }
            for test in group.tests {
                // A digest that we do not have: as if the signer had used another one of the same family.
                let ours = algorithm(digest ?? .sha512)
                let isAccepted = try key.accepts(test.sig.bytes, over: test.msg.bytes, ours)
                let isExpressible = digest != nil && isOurs(group)
                switch test.result {
                case .valid: #expect(isAccepted == isExpressible, "\(name) case \(test.tcId) \(test.comment)")
                // Wrong for other parameters can be right for ours.
                case .invalid: #expect(!isAccepted || !isExpressible, "\(name) case \(test.tcId) \(test.comment)")
                case .acceptable: break
                }
                if isAccepted {
                    tally.accepted += 1
                } else {
                    tally.refused += 1
                    if test.result == .valid { tally.notOurs += 1 }
                }
            }
        }
        return tally
    }

    @Test(
        "ECDSA in DER",
        arguments: [
            ("ecdsa_secp256r1_sha256", Tally(accepted: 174, refused: 310)),
            ("ecdsa_secp256r1_sha512", Tally(accepted: 243, refused: 311)),
            ("ecdsa_secp384r1_sha256", Tally(accepted: 162, refused: 310)),
            ("ecdsa_secp384r1_sha384", Tally(accepted: 194, refused: 310)),
            ("ecdsa_secp384r1_sha512", Tally(accepted: 231, refused: 311)),
            ("ecdsa_secp521r1_sha512", Tally(accepted: 232, refused: 310)),
        ])
    func ecdsaX962(_ name: String, _ expected: Tally) throws {
        let found = try run(name, { SignatureAlgorithm(.ecdsaX962, $0, takesMessage: true) })
        #expect(found == expected)
    }

    @Test(
        "ECDSA as r and s",
        arguments: [
            ("ecdsa_secp256r1_sha256_p1363", Tally(accepted: 173, refused: 89)),
            ("ecdsa_secp256r1_sha512_p1363", Tally(accepted: 242, refused: 90)),
            ("ecdsa_secp384r1_sha384_p1363", Tally(accepted: 193, refused: 87)),
            ("ecdsa_secp384r1_sha512_p1363", Tally(accepted: 230, refused: 88)),
            ("ecdsa_secp521r1_sha512_p1363", Tally(accepted: 231, refused: 87)),
        ])
    func ecdsaRFC4754(_ name: String, _ expected: Tally) throws {
        let found = try run(name, { SignatureAlgorithm(.ecdsaRFC4754, $0, takesMessage: true) })
        #expect(found == expected)
    }

    @Test(
        "RSA with PKCS#1 padding",
        arguments: [
            ("rsa_signature_2048_sha224", Tally(accepted: 7, refused: 251)),
            ("rsa_signature_2048_sha256", Tally(accepted: 9, refused: 250)),
            ("rsa_signature_2048_sha384", Tally(accepted: 7, refused: 251)),
            ("rsa_signature_2048_sha512", Tally(accepted: 8, refused: 251)),
            ("rsa_signature_3072_sha256", Tally(accepted: 8, refused: 251)),
            ("rsa_signature_3072_sha384", Tally(accepted: 7, refused: 252)),
            ("rsa_signature_3072_sha512", Tally(accepted: 8, refused: 252)),
            ("rsa_signature_4096_sha256", Tally(accepted: 7, refused: 251)),
            ("rsa_signature_4096_sha384", Tally(accepted: 7, refused: 252)),
            ("rsa_signature_4096_sha512", Tally(accepted: 7, refused: 252)),
        ])
    func rsaPKCS1(_ name: String, _ expected: Tally) throws {
        let found = try run(name, { SignatureAlgorithm(.rsaPKCS1, $0, takesMessage: true) })
        #expect(found == expected)
    }

    /// Our algorithms have one digest for message and mask, and a salt of its length. Signatures that are right with
    /// other parameters are refused, and counted; of those without a salt, one is wrong because it has a salt of ours.
    @Test(
        "RSA with PSS padding",
        arguments: [
            ("rsa_pss_2048_sha1_mgf1_20", Tally(accepted: 42, refused: 46)),
            ("rsa_pss_2048_sha256_mgf1_0", Tally(accepted: 1, refused: 102, notOurs: 61)),
            ("rsa_pss_2048_sha256_mgf1_32", Tally(accepted: 63, refused: 45)),
            ("rsa_pss_2048_sha384_mgf1_48", Tally(accepted: 95, refused: 46)),
            ("rsa_pss_3072_sha256_mgf1_32", Tally(accepted: 63, refused: 45)),
            ("rsa_pss_4096_sha256_mgf1_32", Tally(accepted: 63, refused: 45)),
            ("rsa_pss_4096_sha384_mgf1_48", Tally(accepted: 95, refused: 46)),
            ("rsa_pss_4096_sha512_mgf1_64", Tally(accepted: 132, refused: 47)),
            ("rsa_pss_misc", Tally(accepted: 5, refused: 145, notOurs: 145)),
        ])
    func rsaPSS(_ name: String, _ expected: Tally) throws {
        let found = try run(name, { SignatureAlgorithm(.rsaPSS, $0, takesMessage: true) }) { group in
            group.mgfSha == group.sha && group.sLen == DigestAlgorithm(wycheproof: group.sha)?.byteCount
        }
        #expect(found == expected)
    }
}
