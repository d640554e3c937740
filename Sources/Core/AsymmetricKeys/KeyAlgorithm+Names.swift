import LatchkeyCryptoSuite

extension KeyAlgorithm {
    /// Parses a `SecKeyAlgorithm`, for instance `algid:sign:ECDSA:message-X962:SHA256`; nil if programs may not use it.
    package init?(name: String) {
        guard let known = Self.byName[name] else { return nil }
        self = known
    }

    /// Every algorithm by its text.
    package static let byName: [String: KeyAlgorithm] = signatures.merging(encryptions) { $1 }.merging(exchanges) { $1 }

    private static let signatures: [String: KeyAlgorithm] = {
        var all: [String: KeyAlgorithm] = [
            "algid:sign:RSA:raw": .signature(SignatureAlgorithm(.rsaRaw, nil, takesMessage: false)),
            "algid:sign:RSA:digest-PKCS1v15": .signature(SignatureAlgorithm(.rsaPKCS1, nil, takesMessage: false)),
            "algid:sign:ECDSA:RFC4754": .signature(SignatureAlgorithm(.ecdsaRFC4754, nil, takesMessage: false)),
            "algid:sign:ECDSA:digest-RFC4754": .signature(
                SignatureAlgorithm(.ecdsaRFC4754, nil, takesMessage: false)),
            "algid:sign:ECDSA:digest-X962": .signature(SignatureAlgorithm(.ecdsaX962, nil, takesMessage: false)),
        ]
        for digest in DigestAlgorithm.ofKeyAlgorithms {
            for (word, takesMessage) in [("digest", false), ("message", true)] {
                func add(_ name: String, _ scheme: SignatureAlgorithm.Scheme) {
                    all["algid:sign:" + name] = .signature(
                        SignatureAlgorithm(scheme, digest, takesMessage: takesMessage))
                }
                let hash = digest.name
                add("RSA:\(word)-PKCS1v15:\(hash)", .rsaPKCS1)
                // The name for SHA-224 says 24, but 28 bytes are used.
                let salt = digest == .sha224 ? 24 : digest.byteCount
                add("RSA:\(word)-PSS:\(hash):\(hash):\(salt)", .rsaPSS)
                add("ECDSA:\(word)-X962:\(hash)", .ecdsaX962)
                add("ECDSA:\(word)-RFC4754:\(hash)", .ecdsaRFC4754)
            }
        }
        return all
    }()

    private static let encryptions: [String: KeyAlgorithm] = {
        var all: [String: KeyAlgorithm] = [
            "algid:encrypt:RSA:raw": .encryption(.rsaRaw), "algid:encrypt:RSA:PKCS1": .encryption(.rsaPKCS1),
        ]
        for digest in DigestAlgorithm.ofKeyAlgorithms {
            all["algid:encrypt:RSA:OAEP:\(digest.name)"] = .encryption(.rsaOAEP(digest))
            all["algid:encrypt:RSA:OAEP:\(digest.name):AESGCM"] = .encryption(.rsaOAEPAESGCM(digest))
            for (word, hasCofactor) in [("ECDH", false), ("ECDHC", true)] {
                let name = "algid:encrypt:ECIES:\(word):KDFX963:\(digest.name):AESGCM"
                all[name] = .encryption(.ecies(digest, hasCofactor: hasCofactor, derivesIV: false))
                // There is no constant for SHA-1.
                guard digest != .sha1 else { continue }
                all[name + "-KDFIV"] = .encryption(.ecies(digest, hasCofactor: hasCofactor, derivesIV: true))
            }
        }
        return all
    }()

    private static let exchanges: [String: KeyAlgorithm] = {
        var all: [String: KeyAlgorithm] = [:]
        for (word, hasCofactor) in [("ECDH", false), ("ECDHC", true)] {
            let name = "algid:keyexchange:\(word)"
            all[name] = .exchange(ExchangeAlgorithm(hasCofactor: hasCofactor, derivation: nil))
            for digest in DigestAlgorithm.ofKeyAlgorithms {
                all["\(name):KDFX963:\(digest.name)"] = .exchange(
                    ExchangeAlgorithm(hasCofactor: hasCofactor, derivation: digest))
            }
        }
        return all
    }()
}
