import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import Testing

/// The names of algorithms, and which key has which.
@Suite struct AlgorithmTests {
    /// Every constant of Reference 10.1 that programs may use, without `algid:`.
    static let names = """
        sign:RSA:raw
        sign:RSA:digest-PKCS1v15
        sign:RSA:digest-PKCS1v15:SHA1 sign:RSA:digest-PKCS1v15:SHA224 sign:RSA:digest-PKCS1v15:SHA256
        sign:RSA:digest-PKCS1v15:SHA384 sign:RSA:digest-PKCS1v15:SHA512
        sign:RSA:digest-PSS:SHA1:SHA1:20 sign:RSA:digest-PSS:SHA224:SHA224:24 sign:RSA:digest-PSS:SHA256:SHA256:32
        sign:RSA:digest-PSS:SHA384:SHA384:48 sign:RSA:digest-PSS:SHA512:SHA512:64
        sign:RSA:message-PKCS1v15:SHA1 sign:RSA:message-PKCS1v15:SHA224 sign:RSA:message-PKCS1v15:SHA256
        sign:RSA:message-PKCS1v15:SHA384 sign:RSA:message-PKCS1v15:SHA512
        sign:RSA:message-PSS:SHA1:SHA1:20 sign:RSA:message-PSS:SHA224:SHA224:24 sign:RSA:message-PSS:SHA256:SHA256:32
        sign:RSA:message-PSS:SHA384:SHA384:48 sign:RSA:message-PSS:SHA512:SHA512:64
        sign:ECDSA:RFC4754 sign:ECDSA:digest-RFC4754
        sign:ECDSA:digest-RFC4754:SHA1 sign:ECDSA:digest-RFC4754:SHA224 sign:ECDSA:digest-RFC4754:SHA256
        sign:ECDSA:digest-RFC4754:SHA384 sign:ECDSA:digest-RFC4754:SHA512
        sign:ECDSA:message-RFC4754:SHA1 sign:ECDSA:message-RFC4754:SHA224 sign:ECDSA:message-RFC4754:SHA256
        sign:ECDSA:message-RFC4754:SHA384 sign:ECDSA:message-RFC4754:SHA512
        sign:ECDSA:digest-X962
        sign:ECDSA:digest-X962:SHA1 sign:ECDSA:digest-X962:SHA224 sign:ECDSA:digest-X962:SHA256
        sign:ECDSA:digest-X962:SHA384 sign:ECDSA:digest-X962:SHA512
        sign:ECDSA:message-X962:SHA1 sign:ECDSA:message-X962:SHA224 sign:ECDSA:message-X962:SHA256
        sign:ECDSA:message-X962:SHA384 sign:ECDSA:message-X962:SHA512
        encrypt:RSA:raw encrypt:RSA:PKCS1
        encrypt:RSA:OAEP:SHA1 encrypt:RSA:OAEP:SHA224 encrypt:RSA:OAEP:SHA256 encrypt:RSA:OAEP:SHA384
        encrypt:RSA:OAEP:SHA512
        encrypt:RSA:OAEP:SHA1:AESGCM encrypt:RSA:OAEP:SHA224:AESGCM encrypt:RSA:OAEP:SHA256:AESGCM
        encrypt:RSA:OAEP:SHA384:AESGCM encrypt:RSA:OAEP:SHA512:AESGCM
        encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM
        encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM
        encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM
        encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM
        encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM
        encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM
        encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV
        encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV
        encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV
        encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV
        keyexchange:ECDH
        keyexchange:ECDH:KDFX963:SHA1 keyexchange:ECDH:KDFX963:SHA224 keyexchange:ECDH:KDFX963:SHA256
        keyexchange:ECDH:KDFX963:SHA384 keyexchange:ECDH:KDFX963:SHA512
        keyexchange:ECDHC
        keyexchange:ECDHC:KDFX963:SHA1 keyexchange:ECDHC:KDFX963:SHA224 keyexchange:ECDHC:KDFX963:SHA256
        keyexchange:ECDHC:KDFX963:SHA384 keyexchange:ECDHC:KDFX963:SHA512
        """.split(whereSeparator: \.isWhitespace).map { "algid:" + $0 }

    @Test("every constant has an algorithm, and nothing else has") func table() {
        #expect(Set(Self.names).count == Self.names.count)
        #expect(Set(KeyAlgorithm.byName.keys) == Set(Self.names))
        for name in Self.names { #expect(KeyAlgorithm(name: name) == KeyAlgorithm.byName[name]) }
        for name in [
            "", "algid:", "algid:sign:RSA:raw-cc", "algid:encrypt:RSA:raw-cc", "algid:sign:RSA:digest-PKCS1v15:MD5",
            "algid:sign:RSA:message-PKCS1v15:MD5", "algid:encrypt:ECIES:ECDH:SHA256:2PubKeys",
            "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM-KDFIV", "algid:kem:ML-KEM", "sign:RSA:raw",
            "algid:sign:EdDSA:message-Curve25519:SHA512", "algid:sign:ECDSA:message-X962:sha256",
        ] {
            #expect(KeyAlgorithm(name: name) == nil)
        }
    }

    @Test("the names mean what they say") func meanings() {
        let expected: [(String, KeyAlgorithm)] = [
            ("sign:ECDSA:RFC4754", .signature(SignatureAlgorithm(.ecdsaRFC4754, nil, takesMessage: false))),
            ("sign:ECDSA:digest-X962:SHA384", .signature(SignatureAlgorithm(.ecdsaX962, .sha384, takesMessage: false))),
            (
                "sign:RSA:message-PSS:SHA224:SHA224:24",
                .signature(SignatureAlgorithm(.rsaPSS, .sha224, takesMessage: true))
            ),
            ("encrypt:RSA:OAEP:SHA512:AESGCM", .encryption(.rsaOAEPAESGCM(.sha512))),
            (
                "encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV",
                .encryption(.ecies(.sha256, hasCofactor: true, derivesIV: true))
            ),
            ("keyexchange:ECDHC", .exchange(ExchangeAlgorithm(hasCofactor: true, derivation: nil))),
            (
                "keyexchange:ECDH:KDFX963:SHA1", .exchange(ExchangeAlgorithm(hasCofactor: false, derivation: .sha1))
            ),
        ]
        for (name, algorithm) in expected { #expect(KeyAlgorithm(name: "algid:" + name) == algorithm) }
    }

    /// The beginning of a name tells the keys that have it (Reference 10.2); keys of 4096 bits have room for all.
    @Test("each key has the algorithms of its family, for its half", arguments: KeyOperation.allCases)
    func matrix(_ operation: KeyOperation) {
        for name in Self.names {
            guard let algorithm = KeyAlgorithm(name: name) else { continue }
            let isRSA = name.contains(":RSA:")
            let isFor: (own: Bool, half: Bool) =
                switch operation {
                case .sign: (name.hasPrefix("algid:sign:"), false)
                // Private RSA keys take a verification, and public ones look into a block.
                case .verify: (isRSA && name.hasPrefix("algid:sign:"), name.hasPrefix("algid:sign:"))
                case .encrypt: (false, name.hasPrefix("algid:encrypt:"))
                case .decrypt:
                    (
                        name.hasPrefix("algid:encrypt:"),
                        isRSA && name.hasPrefix("algid:encrypt:") && !name.hasSuffix("AESGCM")
                    )
                case .exchange: (name.hasPrefix("algid:keyexchange:"), false)
                }
            for key in Curve.allCases.map({ Samples.key($0) }) + [Samples.rsa4096] {
                let isFamily = (key.publicKey.kind.type == .rsa) == isRSA
                #expect(key.supports(algorithm, for: operation) == (isFamily && isFor.own), "\(name)")
                #expect(key.publicKey.supports(algorithm, for: operation) == (isFamily && isFor.half), "\(name)")
            }
        }
    }

    /// The smallest key in bits that has an algorithm.
    @Test(
        "short RSA keys lack what does not fit",
        arguments: [
            ("sign:RSA:raw", 512), ("sign:RSA:digest-PKCS1v15", 512), ("sign:RSA:message-PKCS1v15:SHA256", 512),
            ("sign:RSA:digest-PKCS1v15:SHA384", 617), ("sign:RSA:digest-PKCS1v15:SHA512", 745),
            ("sign:RSA:message-PSS:SHA1:SHA1:20", 512), ("sign:RSA:message-PSS:SHA256:SHA256:32", 521),
            ("sign:RSA:digest-PSS:SHA384:SHA384:48", 777), ("sign:RSA:digest-PSS:SHA512:SHA512:64", 1033),
            ("encrypt:RSA:raw", 512), ("encrypt:RSA:PKCS1", 512), ("encrypt:RSA:OAEP:SHA1", 512),
            ("encrypt:RSA:OAEP:SHA256", 521), ("encrypt:RSA:OAEP:SHA384", 777), ("encrypt:RSA:OAEP:SHA512", 1033),
            ("encrypt:RSA:OAEP:SHA1:AESGCM", 512), ("encrypt:RSA:OAEP:SHA512:AESGCM", 1161),
        ])
    func sizes(_ name: String, _ smallest: Int) throws {
        let algorithm = try #require(KeyAlgorithm(name: "algid:" + name))
        let operation: KeyOperation = name.hasPrefix("sign") ? .verify : .encrypt
        for bits in [512, 513, 520, 521, 616, 617, 744, 745, 776, 777, 1024, 1032, 1033, 1160, 1161, 4096, 8192] {
            let key = try Self.halfOfRSA(bits: bits)
            #expect(key.supports(algorithm, for: operation) == (bits >= smallest), "\(bits)")
        }
    }

    /// A public key of this size, whose private half does not exist.
    private static func halfOfRSA(bits: Int) throws -> PublicKey {
        var modulus = [UInt8](repeating: 0xA5, count: (bits + 7) / 8)
        modulus[0] = 1 << UInt8((bits + 7) % 8)
        let der = DER.sequence(DER.number(modulus), DER.number([1, 0, 1]))
        let key = try PublicKey(externalRepresentation: der, type: .rsa)
        #expect(key.kind == .rsa(bits: bits))
        return key
    }
}
