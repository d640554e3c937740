import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// The forms of keys outside: external representations, PKCS#8, PEM, and what the openssl command makes of them.
@Suite struct FormTests {
    static let keys = Curve.allCases.map { Samples.key($0) } + [Samples.rsa512, Samples.rsa1024, Samples.rsa2048]

    @Test("external representations come back byte for byte", arguments: keys) func external(_ key: PrivateKey) throws {
        let type = key.publicKey.kind.type
        let back = try PrivateKey(externalRepresentation: key.externalRepresentation, type: type)
        #expect(back == key)
        #expect(back.externalRepresentation.equals(key.externalRepresentation))
        let half = try PublicKey(externalRepresentation: key.publicKey.externalRepresentation, type: type)
        #expect(half == key.publicKey)
        #expect(half.hashValue == key.publicKey.hashValue)
        #expect(half.kind == key.publicKey.kind)
        #expect(half.digest == sha1(half.externalRepresentation))
        if case .ellipticCurve(let curve) = half.kind {
            #expect(half.externalRepresentation.count == 2 * curve.coordinateByteCount + 1)
            #expect(key.externalRepresentation.count == 3 * curve.coordinateByteCount + 1)
            #expect(key.externalRepresentation.contents.starts(with: half.externalRepresentation))
        }
    }

    @Test("new keys are new", arguments: [KeyKind.ellipticCurve(.p192), .ellipticCurve(.p521), .rsa(bits: 1024)])
    func generation(_ kind: KeyKind) throws {
        let (one, other) = (try PrivateKey(generating: kind), try PrivateKey(generating: kind))
        #expect(one != other)
        #expect(one.publicKey.kind == kind)
        #expect(try PrivateKey(externalRepresentation: one.externalRepresentation, type: kind.type) == one)
    }

    /// About one number in 256 begins with a zero byte.
    @Test("private numbers with zeros in front keep their length") func leadingZeros() throws {
        for number in [1, 2, 0xFFFF] as [UInt16] {
            let curve = Curve.p256
            let k = [UInt8](repeating: 0, count: 30) + [UInt8(number >> 8), UInt8(number & 0xFF)]
            let sec1: [UInt8] = [0x30, 49, 2, 1, 1, 4, 32] + k + [0xA0, 10, 6, 8] + WycheproofAgreementTests.p256
            let key = try PrivateKey(encoded: SecretBox(copying: sec1), passphrase: nil)
            let external = key.externalRepresentation.contents
            #expect(Array(external.suffix(curve.coordinateByteCount)) == k)
            #expect(try PrivateKey(externalRepresentation: SecretBox(copying: external), type: .ellipticCurve) == key)
            #expect(try PrivateKey(encoded: key.pkcs8(passphrase: nil), passphrase: nil) == key)
        }
    }

    @Test("texts and PKCS#8 come back", arguments: keys) func ownForms(_ key: PrivateKey) throws {
        let text = key.pem(passphrase: nil)
        #expect(text.contents.starts(with: Array("-----BEGIN PRIVATE KEY-----\n".utf8)))
        for form in [text, key.pkcs8(passphrase: nil)] {
            let back = try PrivateKey(encoded: form, passphrase: nil)
            #expect(back.externalRepresentation.equals(key.externalRepresentation))
        }
        #expect(try PublicKey(pem: Array(key.publicKey.pem.utf8)) == key.publicKey)
        #expect(try PublicKey(subjectPublicKeyInfo: key.publicKey.subjectPublicKeyInfo) == key.publicKey)
    }

    @Test("encrypted texts come back", arguments: ["", "correct horse", String(repeating: "x", count: 1000)])
    func encryptedForms(passphrase: String) throws {
        let passphrase = SecretBox(text: passphrase)
        let key = Samples.key(.p521)
        let text = key.pem(passphrase: passphrase)
        #expect(text.contents.starts(with: Array("-----BEGIN ENCRYPTED PRIVATE KEY-----\n".utf8)))
        for form in [text, key.pkcs8(passphrase: passphrase)] {
            let back = try PrivateKey(encoded: form, passphrase: passphrase)
            #expect(back.externalRepresentation.equals(key.externalRepresentation))
        }
        #expect(!key.pkcs8(passphrase: passphrase).equals(key.pkcs8(passphrase: passphrase)))
    }

    @Test("openssl writes the same texts", arguments: keys) func opensslAgrees(_ key: PrivateKey) throws {
        let text = key.pem(passphrase: nil).contents
        #expect(try OpenSSL.run(["pkey"], input: text) == text)
        let pkcs8 = try OpenSSL.run(["pkcs8", "-topk8", "-nocrypt", "-outform", "DER"], input: text)
        #expect(pkcs8 == key.pkcs8(passphrase: nil).contents)
        #expect(try OpenSSL.run(["pkey", "-pubout"], input: text) == Array(key.publicKey.pem.utf8))
        let der = try OpenSSL.run(["pkey", "-pubin", "-outform", "DER"], input: Array(key.publicKey.pem.utf8))
        #expect(der == key.publicKey.subjectPublicKeyInfo)
        if case .rsa = key.publicKey.kind {
            let traditional = try OpenSSL.run(["rsa", "-traditional", "-outform", "DER"], input: text)
            #expect(traditional == key.externalRepresentation.contents)
            let half = try OpenSSL.run(["rsa", "-RSAPublicKey_out", "-outform", "DER"], input: text)
            #expect(half == key.publicKey.externalRepresentation)
            let halfText = try OpenSSL.run(["rsa", "-RSAPublicKey_out"], input: text)
            #expect(try PublicKey(pem: halfText) == key.publicKey)
        }
    }

    @Test("openssl opens our encrypted texts", arguments: [Samples.key(.p256), Samples.rsa1024])
    func opensslOpens(_ key: PrivateKey) throws {
        let sealed = key.pem(passphrase: SecretBox(text: "correct horse")).contents
        let plain = try OpenSSL.run(["pkey", "-passin", "pass:correct horse"], input: sealed)
        #expect(plain == key.pem(passphrase: nil).contents)
        let parameters = String(decoding: try OpenSSL.run(["asn1parse"], input: sealed), as: UTF8.self)
        for name in ["PBES2", "PBKDF2", "hmacWithSHA256", "aes-256-cbc"] { #expect(parameters.contains(name)) }
    }

    @Test(
        "we open what openssl encrypted",
        arguments: [
            ["pkcs8", "-topk8", "-v2", "aes-256-cbc"],
            ["pkcs8", "-topk8", "-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA512"],
            ["pkcs8", "-topk8", "-v2", "aes-192-cbc", "-v2prf", "hmacWithSHA1", "-iter", "1"],
            ["pkcs8", "-topk8", "-v2", "des3", "-v2prf", "hmacWithSHA224"],
            ["pkcs8", "-topk8", "-v2", "aes256", "-v2prf", "hmacWithSHA384"], ["pkcs8", "-topk8", "-scrypt"],
            ["pkcs8", "-topk8", "-v1", "PBE-SHA1-3DES"], ["pkcs8", "-topk8", "-v1", "PBE-SHA1-2DES"],
            ["pkey", "-traditional", "-aes128"], ["pkey", "-traditional", "-des3"],
            ["pkey", "-traditional", "-aes-256-cbc"],
        ])
    func opensslSeals(_ arguments: [String]) throws {
        for key in [Samples.key(.p384), Samples.rsa1024] {
            let plain = key.pem(passphrase: nil).contents
            let sealed = SecretBox(
                copying: try OpenSSL.run(arguments + ["-passout", "pass:correct horse"], input: plain))
            let back = try PrivateKey(encoded: sealed, passphrase: SecretBox(text: "correct horse"))
            #expect(back.externalRepresentation.equals(key.externalRepresentation))
            #expect(throws: KeyFailure.passphraseNeeded) { try PrivateKey(encoded: sealed, passphrase: nil) }
            for wrong in ["", "correct horsf", String(repeating: "x", count: 5000)] {
                #expect(throws: KeyFailure.wrongPassphrase) {
                    try PrivateKey(encoded: sealed, passphrase: SecretBox(text: wrong))
                }
            }
        }
    }

    /// The older encryption checks nothing but the padding, which one wrong passphrase in 256 gets right.
    @Test("a wrong passphrase of the older encryption is one, also where bytes come out of it")
    func wrongPassphrases() throws {
        let sealed = SecretBox(
            copying: try OpenSSL.run(
                ["pkey", "-traditional", "-aes128", "-passout", "pass:correct horse"],
                input: Samples.key(.p256).pem(passphrase: nil).contents))
        for number in 0..<3000 {
            #expect(throws: KeyFailure.wrongPassphrase) {
                try PrivateKey(encoded: sealed, passphrase: SecretBox(text: "wrong \(number)"))
            }
        }
    }

    @Test("we read openssl's older forms", arguments: Curve.allCases, ["compressed", "uncompressed"])
    func older(_ curve: Curve, _ form: String) throws {
        let name = ["P192": "prime192v1", "P224": "secp224r1", "P256": "prime256v1"]["P\(curve.rawValue)"]
        let old = try OpenSSL.run(
            ["ecparam", "-name", name ?? "secp\(curve.rawValue)r1", "-genkey", "-conv_form", form])
        #expect(String(decoding: old, as: UTF8.self).hasPrefix("-----BEGIN EC PARAMETERS-----"))
        let der = try OpenSSL.run(["ec", "-outform", "DER"], input: old)
        let new = try OpenSSL.run(["pkcs8", "-topk8", "-nocrypt"], input: old)
        let half = try OpenSSL.run(["ec", "-pubout", "-conv_form", form], input: old)
        let keys = try [old, der, new].map { try PrivateKey(encoded: SecretBox(copying: $0), passphrase: nil) }
        #expect(Set(keys).count == 1)
        #expect(try PublicKey(pem: half) == keys[0].publicKey)
        #expect(keys[0].publicKey.kind == .ellipticCurve(curve))
        let rewritten = try OpenSSL.run(["pkey", "-ec_conv_form", "uncompressed"], input: new)
        #expect(keys[0].pem(passphrase: nil).contents == rewritten)
    }

    @Test("RSA keys of other exponents, and of lengths that are not whole bytes", arguments: [(1023, 3), (2050, 17)])
    func oddRSA(bits: Int, exponent: Int) throws {
        let text = try OpenSSL.run([
            "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:\(bits)", "-pkeyopt",
            "rsa_keygen_pubexp:\(exponent)",
        ])
        let key = try PrivateKey(encoded: SecretBox(copying: text), passphrase: nil)
        #expect(key.publicKey.kind == .rsa(bits: bits))
        #expect(key.pem(passphrase: nil).contents == text)
        let algorithm = SignatureAlgorithm(.rsaPSS, .sha256, takesMessage: true)
        try key.publicKey.verify(try key.sign(Samples.message, algorithm), over: Samples.message, algorithm)
        let sealed = try key.publicKey.encrypt(Samples.message, .rsaOAEPAESGCM(.sha1))
        #expect(try key.decrypt(sealed, .rsaOAEPAESGCM(.sha1)).contents == Samples.message)
    }
}
