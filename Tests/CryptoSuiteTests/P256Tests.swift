import CryptoSuite
import Foundation
import SecretMemory
import Testing

/// ECDSA over P-256 against the Wycheproof vectors and against the openssl command.
@Suite struct P256Tests {
    struct Vectors: Decodable {
        struct Group: Decodable {
            let publicKey: Key
            let tests: [Case]
        }

        struct Key: Decodable {
            let uncompressed: WycheproofFile.Hex
        }

        struct Case: Decodable {
            let tcId: Int
            let comment: String
            let msg, sig: WycheproofFile.Hex
            let result: WycheproofFile.Case.Result
        }

        let testGroups: [Group]
    }

    private static let message = Array("a message".utf8)

    @Test("signatures are accepted and refused as Wycheproof asks") func wycheproof() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let url = root.appendingPathComponent("Fixtures/Vectors/wycheproof/ecdsa_secp256r1_sha256_test.json")
        let vectors = try JSONDecoder().decode(Vectors.self, from: try Data(contentsOf: url))
        var cases = 0
        for group in vectors.testGroups {
            for test in group.tests {
                let isRight = P256.isSignature(
                    test.sig.bytes, over: test.msg.bytes, publicKey: group.publicKey.uncompressed.bytes)
                #expect(isRight == (test.result == .valid), "case \(test.tcId) \(test.comment)")
                cases += 1
            }
        }
        #expect(cases > 400)
    }

    @Test("a signature is for its key and its message only") func ownSignature() {
        let key = P256PrivateKey.generate()
        let signature = key.sign(Self.message)
        #expect(P256.isSignature(signature, over: Self.message, publicKey: key.publicKey))
        #expect(!P256.isSignature(signature, over: Self.message + [0], publicKey: key.publicKey))
        let other = P256PrivateKey.generate()
        #expect(key.publicKey != other.publicKey)
        #expect(!P256.isSignature(signature, over: Self.message, publicKey: other.publicKey))
        #expect(P256.isSignature(key.sign([]), over: [], publicKey: key.publicKey))
    }

    @Test("bytes that are no point of the curve are no key") func points() {
        let key = P256PrivateKey.generate()
        #expect(P256.isPublicKey(key.publicKey))
        var altered = key.publicKey
        altered[64] ^= 1
        let wrong: [[UInt8]] = [
            altered, [], [4], [0], [4] + [UInt8](repeating: 0, count: 64), [4] + [UInt8](repeating: 0xFF, count: 64),
            key.publicKey + [0], Array(key.publicKey.dropLast()), [2] + key.publicKey[1...32],
            [6 + key.publicKey[64] % 2] + key.publicKey.dropFirst(),
        ]
        let signature = key.sign(Self.message)
        for bytes in wrong {
            #expect(!P256.isPublicKey(bytes))
            #expect(!P256.isSignature(signature, over: Self.message, publicKey: bytes))
        }
    }

    @Test("a key comes back from its text", arguments: [nil, "", "correct horse", String(repeating: "x", count: 1000)])
    func text(passphrase: String?) throws {
        let passphrase = passphrase.map { SecretBox(copying: Array($0.utf8)) }
        let key = P256PrivateKey.generate()
        let text = key.pem(passphrase: passphrase)
        let head = passphrase == nil ? "-----BEGIN PRIVATE KEY-----" : "-----BEGIN ENCRYPTED PRIVATE KEY-----"
        #expect(text.contents.starts(with: Array(head.utf8)))
        let back = try P256PrivateKey(pem: text, passphrase: passphrase)
        #expect(back.publicKey == key.publicKey)
        #expect(P256.isSignature(back.sign(Self.message), over: Self.message, publicKey: key.publicKey))
    }

    @Test("a text that is no usable key is refused with its reason") func badTexts() throws {
        let key = P256PrivateKey.generate()
        let right = SecretBox(copying: Array("right".utf8))
        let wrong = SecretBox(copying: Array("wrong".utf8))
        let sealed = key.pem(passphrase: right)
        #expect(throws: P256PrivateKey.TextFailure.passphraseNeeded) {
            try P256PrivateKey(pem: sealed, passphrase: nil)
        }
        #expect(throws: P256PrivateKey.TextFailure.doesNotOpen) { try P256PrivateKey(pem: sealed, passphrase: wrong) }
        let plain = key.pem(passphrase: nil).contents
        for text in [[], Array("no key".utf8), Array(plain.prefix(100)), [UInt8](repeating: 0x41, count: 70_000)] {
            #expect(throws: P256PrivateKey.TextFailure.unreadable) {
                try P256PrivateKey(pem: SecretBox(copying: text), passphrase: nil)
            }
        }
    }

    @Test("keys of other kinds are refused", arguments: ["ED25519", "EC:secp384r1", "RSA"])
    func otherKinds(kind: String) throws {
        let parts = kind.split(separator: ":")
        var arguments = ["genpkey", "-algorithm", String(parts[0])]
        if parts.count == 2 { arguments += ["-pkeyopt", "ec_paramgen_curve:\(parts[1])"] }
        let text = try OpenSSL.run(arguments)
        #expect(throws: P256PrivateKey.TextFailure.otherKind) {
            try P256PrivateKey(pem: SecretBox(copying: text), passphrase: nil)
        }
    }

    @Test("a text with the public key of another private key is refused") func mismatch() throws {
        // PKCS#8 in DER; the public key is at its end.
        var der = try OpenSSL.run(["pkey", "-outform", "DER"], input: P256PrivateKey.generate().pem(passphrase: nil))
        der.replaceSubrange((der.count - 65)..., with: P256PrivateKey.generate().publicKey)
        let body = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let text = "-----BEGIN PRIVATE KEY-----\n\(body)\n-----END PRIVATE KEY-----\n"
        #expect(throws: P256PrivateKey.TextFailure.unreadable) {
            try P256PrivateKey(pem: SecretBox(copying: Array(text.utf8)), passphrase: nil)
        }
    }

    @Test("openssl reads our keys and accepts our signatures") func opensslVerifies() throws {
        let directory = try OpenSSL.Directory()
        defer { directory.remove() }
        let key = P256PrivateKey.generate()
        let passphrase = "correct horse"
        let sealed = key.pem(passphrase: SecretBox(copying: Array(passphrase.utf8)))
        let publicText = try OpenSSL.run(["pkey", "-pubout", "-passin", "pass:" + passphrase], input: sealed)
        let parameters = try OpenSSL.run(["asn1parse"], input: sealed)
        for name in ["PBES2", "PBKDF2", "hmacWithSHA256", "aes-256-cbc"] {
            #expect(String(decoding: parameters, as: UTF8.self).contains(name))
        }
        let arguments = [
            "dgst", "-sha256", "-verify", try directory.file("public", publicText), "-signature",
            try directory.file("signature", key.sign(Self.message)), try directory.file("message", Self.message),
        ]
        #expect(String(decoding: try OpenSSL.run(arguments), as: UTF8.self) == "Verified OK\n")
    }

    @Test("we read openssl's keys and accept its signatures", arguments: ["compressed", "uncompressed"])
    func weVerify(form: String) throws {
        let directory = try OpenSSL.Directory()
        defer { directory.remove() }
        let old = try OpenSSL.run(["ecparam", "-name", "prime256v1", "-genkey", "-conv_form", form])
        let new = try OpenSSL.run(["pkcs8", "-topk8", "-nocrypt"], input: SecretBox(copying: old))
        let signature = try OpenSSL.run([
            "dgst", "-sha256", "-sign", try directory.file("key", new), try directory.file("message", Self.message),
        ])
        for text in [old, new] {
            let key = try P256PrivateKey(pem: SecretBox(copying: text), passphrase: nil)
            #expect(P256.isSignature(signature, over: Self.message, publicKey: key.publicKey))
        }
        let sealed = try OpenSSL.run(
            ["pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout", "pass:word"], input: SecretBox(copying: old))
        let key = try P256PrivateKey(
            pem: SecretBox(copying: sealed), passphrase: SecretBox(copying: Array("word".utf8)))
        #expect(P256.isSignature(signature, over: Self.message, publicKey: key.publicKey))
    }
}
