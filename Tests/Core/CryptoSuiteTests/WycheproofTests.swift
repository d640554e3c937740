import LatchkeyCryptoSuite
import LatchkeySecretMemory
import Testing

/// The primitives against the Wycheproof vectors, failures included.
@Suite struct WycheproofTests {
    @Test("AES-256-GCM with 96-bit nonces") func gcm() throws {
        let groups = try WycheproofFile.named("aes_gcm").testGroups
            .filter { $0.keySize == 256 && $0.ivSize == 96 && $0.tagSize == 128 }
        var cases = 0
        for test in groups.flatMap(\.tests) {
            let key = try #require(test.key).secret
            let nonce = try #require(test.iv).bytes
            let aad = try #require(test.aad).bytes
            let message = try #require(test.msg).bytes
            let sealed = nonce + (try #require(test.ct).bytes) + (try #require(test.tag).bytes)
            let opened = try? AESGCM.open(sealed, key: key, associatedData: aad)
            if test.result == .valid {
                #expect(opened?.contents == message, test.name)
                let mine = message.withUnsafeBytes { AESGCM.seal($0, key: key, nonce: nonce, associatedData: aad) }
                #expect(mine == sealed, test.name)
            } else {
                #expect(opened == nil, test.name)
            }
            cases += 1
        }
        #expect(cases > 50)
    }

    @Test("AES-GCM with keys of 128 and 256 bits and nonces of 1 to 128 bytes") func gcmNonces() throws {
        let groups = try WycheproofFile.named("aes_gcm").testGroups
            .filter { $0.keySize != 192 && $0.tagSize == 128 }
        var nonceLengths: Set<Int> = []
        for test in groups.flatMap(\.tests) {
            let key = try #require(test.key).secret
            let nonce = try #require(test.iv).bytes
            let aad = try #require(test.aad).bytes
            let message = try #require(test.msg).bytes
            let sealed = (try #require(test.ct).bytes) + (try #require(test.tag).bytes)
            // No format has others, and libcrypto does not take them.
            guard (1...128).contains(nonce.count) else { continue }
            nonceLengths.insert(nonce.count)
            let agreed = SecretBox(copying: nonce)
            let opened = sealed.withUnsafeBytes { bytes in
                try? AESGCM.open(bytes, key: key, agreedNonce: agreed, associatedData: aad)
            }
            if test.result == .valid {
                #expect(opened?.contents == message, test.name)
                let mine = message.withUnsafeBytes {
                    AESGCM.seal($0, key: key, agreedNonce: agreed, associatedData: aad)
                }
                #expect(mine == sealed, test.name)
            } else {
                #expect(opened == nil, test.name)
            }
        }
        #expect(nonceLengths.isSuperset(of: [1, 8, 12, 16]))
    }

    @Test("AES key wrap with 128, 192 and 256-bit keys") func keyWrap() throws {
        var cases = 0
        for test in try WycheproofFile.named("aes_wrap").testGroups.flatMap(\.tests) {
            let key = try #require(test.key).secret
            let message = try #require(test.msg).bytes
            let wrapped = try #require(test.ct).bytes
            let opened = try? AESKeyWrap.unwrap(wrapped, with: key)
            switch test.result {
            case .valid:
                #expect(opened?.contents == message, test.name)
                #expect(AESKeyWrap.wrap(SecretBox(copying: message), with: key) == wrapped, test.name)
            case .invalid:
                #expect(opened == nil, test.name)
            case .acceptable:
                #expect(opened == nil || opened?.contents == message, test.name)
            }
            cases += 1
        }
        #expect(cases > 150)
    }

    @Test("HMAC-SHA256") func hmac() throws {
        var cases = 0
        for group in try WycheproofFile.named("hmac_sha256").testGroups {
            let byteCount = try #require(group.tagSize) / 8
            for test in group.tests {
                let key = try #require(test.key).secret
                let message = try #require(test.msg).bytes
                let tag = try #require(test.tag).bytes
                let isRight = Array(HMACSHA256.code(over: message, key: key).prefix(byteCount)) == tag
                #expect(isRight == (test.result == .valid), test.name)
                if byteCount == HMACSHA256.byteCount {
                    #expect(HMACSHA256.isCode(tag, over: message, key: key) == isRight, test.name)
                    #expect((HMACSHA256.secret(over: message, key: key).contents == tag) == isRight, test.name)
                }
                cases += 1
            }
        }
        #expect(cases > 150)
    }

    @Test(
        "PBKDF2",
        arguments: [
            ("pbkdf2_hmacsha1", PasswordKey.PseudoRandomFunction.hmacSHA1), ("pbkdf2_hmacsha256", .hmacSHA256),
        ])
    func pbkdf2(_ file: String, _ function: PasswordKey.PseudoRandomFunction) throws {
        var cases = 0
        for test in try WycheproofFile.named(file).testGroups.flatMap(\.tests) {
            let key = try PasswordKey.pbkdf2(
                try #require(test.password).secret, salt: try #require(test.salt).bytes,
                rounds: try #require(test.iterationCount), function: function, count: try #require(test.dkLen))
            #expect((key.contents == (try #require(test.dk).bytes)) == (test.result == .valid), test.name)
            cases += 1
        }
        #expect(cases > 50)
    }

    @Test("X25519") func x25519() throws {
        var cases = 0
        for test in try WycheproofFile.named("x25519").testGroups.flatMap(\.tests) {
            let agreed = try? X25519.agree(
                try #require(test.private).secret, with: try #require(test.public).bytes)
            let right = try #require(test.shared).bytes
            switch test.result {
            case .valid: #expect(agreed?.contents == right, test.name)
            case .acceptable: #expect(agreed == nil || agreed?.contents == right, test.name)
            case .invalid: #expect(agreed == nil, test.name)
            }
            if right.allSatisfy({ $0 == 0 }) { #expect(agreed == nil, test.name) }
            cases += 1
        }
        #expect(cases > 500)
    }
}
