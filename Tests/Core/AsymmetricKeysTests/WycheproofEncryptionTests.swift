import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// Ciphertexts that other people thought up to be opened where they must not, and signatures made with given keys.
@Suite struct WycheproofEncryptionTests {
    struct File: Decodable {
        let testGroups: [Group]
    }

    struct Group: Decodable {
        let privateKeyPkcs8: Hex
        let sha: String?
        let mgfSha: String?
        let tests: [Case]
    }

    struct Case: Decodable {
        let tcId: Int
        let comment: String
        let msg: Hex
        let ct: Hex?
        let sig: Hex?
        let label: Hex?
        let result: Vectors.Outcome
    }

    private func key(_ group: Group) throws -> PrivateKey {
        try PrivateKey(encoded: group.privateKeyPkcs8.secret, passphrase: nil)
    }

    /// Every case of a file with ciphertexts.
    private func open(
        _ name: String, _ algorithm: (Group) -> EncryptionAlgorithm?, isOurs: (Group, Case) -> Bool = { _, _ in true }
    ) throws -> Tally {
        var tally = Tally()
        for group in try Vectors.wycheproof(name, as: File.self).testGroups {
            let key = try key(group)
            for test in group.tests {
                let algorithm = algorithm(group)
                var opened: SecretBox?
                do throws(KeyOperationFailure) {
                    opened = try key.decrypt(test.ct?.bytes ?? [], algorithm ?? .rsaOAEP(.sha512))
                } catch {
                    #expect(error == .notDecryptable, "case \(test.tcId)")
                }
                let isExpressible = algorithm != nil && isOurs(group, test)
                switch test.result {
                case .valid:
                    #expect((opened != nil) == isExpressible, "\(name) case \(test.tcId) \(test.comment)")
                    if let opened { #expect(opened.contents == test.msg.bytes, "case \(test.tcId)") }
                case .invalid: #expect(opened == nil, "\(name) case \(test.tcId) \(test.comment)")
                case .acceptable: #expect(opened == nil || opened?.contents == test.msg.bytes, "case \(test.tcId)")
                }
                if opened != nil {
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
        "RSA with PKCS#1 padding",
        arguments: [
            ("rsa_pkcs1_2048", Tally(accepted: 42, refused: 25)), ("rsa_pkcs1_3072", Tally(accepted: 41, refused: 26)),
            ("rsa_pkcs1_4096", Tally(accepted: 41, refused: 26)),
        ])
    func pkcs1(_ name: String, _ expected: Tally) throws {
        let found = try open(name, { _ in .rsaPKCS1 })
        #expect(found == expected)
    }

    /// Our algorithms have one digest for label and mask, and no label. Ciphertexts with other parameters do not
    /// open, and is counted.
    @Test(
        "RSA with OAEP padding",
        arguments: [
            ("rsa_oaep_2048_sha1_mgf1sha1", Tally(accepted: 10, refused: 26, notOurs: 7)),
            ("rsa_oaep_2048_sha224_mgf1sha224", Tally(accepted: 10, refused: 25, notOurs: 7)),
            ("rsa_oaep_2048_sha256_mgf1sha1", Tally(accepted: 0, refused: 31, notOurs: 13)),
            ("rsa_oaep_2048_sha256_mgf1sha256", Tally(accepted: 10, refused: 27, notOurs: 8)),
            ("rsa_oaep_2048_sha384_mgf1sha384", Tally(accepted: 10, refused: 24, notOurs: 6)),
            ("rsa_oaep_2048_sha512_mgf1sha512", Tally(accepted: 10, refused: 23, notOurs: 4)),
            ("rsa_oaep_3072_sha256_mgf1sha256", Tally(accepted: 10, refused: 27, notOurs: 8)),
            ("rsa_oaep_3072_sha512_mgf1sha512", Tally(accepted: 10, refused: 23, notOurs: 5)),
            ("rsa_oaep_4096_sha256_mgf1sha256", Tally(accepted: 10, refused: 27, notOurs: 8)),
            ("rsa_oaep_4096_sha512_mgf1sha512", Tally(accepted: 10, refused: 26, notOurs: 7)),
            ("rsa_oaep_misc", Tally(accepted: 75, refused: 320, notOurs: 317)),
        ])
    func oaep(_ name: String, _ expected: Tally) throws {
        let algorithm: (Group) -> EncryptionAlgorithm? = { group in
            group.sha.flatMap { DigestAlgorithm(wycheproof: $0) }.map { .rsaOAEP($0) }
        }
        let found = try open(name, algorithm) { group, test in
            group.mgfSha == group.sha && test.label?.bytes.isEmpty ?? true
        }
        #expect(found == expected)
    }

    /// Signatures with PKCS#1 padding hold nothing random: ours are the same bytes.
    @Test(
        "RSA signatures with given keys",
        arguments: [
            ("rsa_pkcs1_2048_sig_gen", 43), ("rsa_pkcs1_3072_sig_gen", 26), ("rsa_pkcs1_4096_sig_gen", 24),
        ])
    func signatures(_ name: String, _ expected: Int) throws {
        var done = 0
        for group in try Vectors.wycheproof(name, as: File.self).testGroups {
            let digest = try #require(group.sha.flatMap { DigestAlgorithm(wycheproof: $0) })
            let key = try key(group)
            for test in group.tests {
                let signature = try key.sign(test.msg.bytes, SignatureAlgorithm(.rsaPKCS1, digest, takesMessage: true))
                #expect(signature == test.sig?.bytes, "\(name) case \(test.tcId) \(test.comment)")
                done += 1
            }
        }
        #expect(done == expected)
    }
}
