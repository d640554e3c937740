import LatchkeyCryptoMisuse
import Testing

@Suite("Rules about secrets, broken digests and keys of codes")
struct SecretRuleTests {
    private static let digests: [(BrokenDigest, Int)] = [(.md2, 16), (.md4, 16), (.md5, 16), (.sha1, 20)]

    @Test("see a broken digest of what the keychain, a cipher, a code or a password has made known")
    func ofSecrets() {
        let secret = Array("hunter2".utf8)
        let teachers: [(String, (inout Steps) -> Void)] = [
            ("keychain", { $0.learn(secret) }),
            ("password", { $0.derive(.sha256, password: secret) }),
            ("code", { $0.startCode(key: secret + [0x80]) }),
        ]
        for (name, teach) in teachers {
            for (digest, byteCount) in Self.digests {
                var steps = Steps()
                teach(&steps)
                let text = name == "code" ? secret + [0x80] : secret
                #expect(steps.kinds == [])
                steps.digest(digest, [Array(text.prefix(3)), Array(text.dropFirst(3))], to: .drawn(byteCount, seed: 1))
                #expect(steps.kinds == [.weakDigest], "\(name) \(digest)")
            }
        }
    }

    @Test("see it of a key, and of what was decrypted")
    func ofKeysAndTexts() {
        var steps = Steps()
        steps.start(.ctr, key: .random32)
        steps.digest(.sha1, [.random32], to: .drawn(20, seed: 1))
        #expect(steps.kinds == [.weakDigest])
        steps = Steps()
        steps.run(.ctr, isEncrypting: false, .random32, to: .text)
        steps.digest(.md5, [.text], to: .drawn(16, seed: 1))
        #expect(steps.kinds == [.weakDigest])
    }

    @Test("see a key that a broken digest gave, whole, cut or filled up")
    func asKeys() {
        let (md5, sha1) = ([UInt8].drawn(16, seed: 1), [UInt8].drawn(20, seed: 2))
        for (digest, result, key) in [
            (BrokenDigest.md5, md5, md5), (.md5, md5, md5 + .drawn(16, seed: 3)), (.sha1, sha1, Array(sha1.prefix(16))),
            (.sha1, sha1, sha1 + .drawn(12, seed: 4)),
        ] {
            var steps = Steps()
            steps.digest(digest, [Array("anything".utf8)], to: result)
            #expect(steps.kinds == [])
            steps.start(.ctr, key: key)
            #expect(steps.kinds == [.weakDigest])
        }
    }

    @Test("leave digests of other things alone, and of too little to be a secret")
    func otherDigests() {
        var steps = Steps()
        steps.learn(Array("abc".utf8))
        steps.learn(Array("hunter2".utf8))
        steps.run(.ctr, isEncrypting: false, .random32, to: Array("short".utf8))
        for text in ["abc", "short", "hunter", "hunter22", ""] {
            steps.digest(.md5, [Array(text.utf8)], to: .drawn(16, seed: 1))
        }
        steps.start(.ctr, key: .drawn(16, seed: 2))
        #expect(steps.kinds == [])
    }

    @Test("tell a key of a code that is text")
    func codeKeys() {
        for (key, kinds) in [
            (Array("correct horse battery staple".utf8), [CryptoFlaw.Kind.textCodeKey]),
            (Array("0011223344556677".utf8), [.textCodeKey]), (.random32, []), ([], []), (Array("abc".utf8), []),
        ] {
            var steps = Steps()
            steps.startCode(key: key)
            #expect(steps.kinds == kinds)
        }
    }
}
