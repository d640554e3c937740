import CommonCrypto
import CommonCryptoSPI
import LatchkeyTestSupport
import Testing

/// Wycheproof's cases for the ciphers and for key wrap.
@Suite struct WycheproofCipherTests {
    @Test("AES-CBC with padding: what is valid opens; what is not gives no other answer than the last byte's")
    func cbc() throws {
        var (valid, unpadded, kept, empty) = (0, 0, 0, 0)
        for test in try WycheproofFile.named("aes_cbc_pkcs5").cases {
            let call = CipherCall(
                padding: ccPKCS7Padding, key: try #require(test.key).bytes, iv: try #require(test.iv).bytes)
            let (message, ciphertext) = (try #require(test.msg).bytes, try #require(test.ct).bytes)
            if test.result == .valid {
                #expect(try call.encrypt(message) == ciphertext, test.name)
                #expect(try call.oneShot(kCCEncrypt, message) == ciphertext, test.name)
                #expect(try call.decrypt(ciphertext) == message, test.name)
                #expect(try call.oneShot(kCCDecrypt, ciphertext) == message, test.name)
                valid += 1
            } else if ciphertext.isEmpty {
                // Apple's library reads memory that it never wrote.
                #expect(try call.oneShot(kCCDecrypt, ciphertext).isEmpty, test.name)
                empty += 1
            } else {
                // A wrong padding does not fail, as in Apple's library: an attacker cannot learn from the status which
                // it was.
                var unpaddedCall = call
                unpaddedCall.padding = ccNoPadding
                let blocks = try unpaddedCall.decrypt(ciphertext)
                let last = Int(try #require(blocks.last))
                #expect(try call.oneShot(kCCDecrypt, ciphertext) == blocks.dropLast(last <= 16 ? last : 0), test.name)
                if last <= 16 { unpadded += 1 } else { kept += 1 }
            }
        }
        #expect([valid, unpadded, kept, empty] == [72, 78, 63, 3])
    }

    @Test("AES-XTS, one unit at a time") func xts() throws {
        var count = 0
        for test in try WycheproofFile.named("aes_xts").cases {
            let (keys, tweak) = (try #require(test.key).bytes, try #require(test.iv).bytes)
            let (message, ciphertext) = (try #require(test.msg).bytes, try #require(test.ct).bytes)
            // A number of fewer bytes than a block, the least significant first.
            let unit = tweak + [UInt8](repeating: 0, count: 16 - tweak.count)
            let call = CipherCall(
                mode: kCCModeXTS, key: Array(keys.prefix(keys.count / 2)), tweak: Array(keys.suffix(keys.count / 2)))
            #expect(try DataUnit.encrypt(message, call, tweak: unit) == ciphertext, test.name)
            #expect(try DataUnit.decrypt(ciphertext, call, tweak: unit) == message, test.name)
            count += 1
        }
        #expect(count == 123)
    }

    @Test("AES-GCM at once: forged tags open nothing") func gcm() throws {
        var (valid, refused, notOurs) = (0, 0, 0)
        for test in try WycheproofFile.named("aes_gcm").cases {
            let call = try GCMCall(test)
            let (message, ciphertext) = (try #require(test.msg).bytes, try #require(test.ct).bytes)
            let tag = try #require(test.tag).bytes
            // The newer functions take no nonce of fewer bytes.
            guard call.iv.count >= 12 else {
                #expect(throws: CipherCall.Refusal(status: CCCryptorStatus(kCCParamError)), test.name) {
                    try call.open(ciphertext, tag: tag)
                }
                notOurs += 1
                continue
            }
            if test.result == .valid {
                let sealed = try call.seal(message)
                #expect(sealed.ciphertext == ciphertext && sealed.tag == tag, test.name)
                #expect(try call.open(ciphertext, tag: tag) == message, test.name)
                valid += 1
            } else {
                #expect(throws: CipherCall.Refusal(status: CCCryptorStatus(kCCUnspecifiedError)), test.name) {
                    try call.open(ciphertext, tag: tag)
                }
                refused += 1
            }
        }
        #expect([valid, refused, notOurs] == [192, 81, 43])
    }

    @Test("AES-GCM in steps, with nonces of any length") func gcmSteps() throws {
        var (valid, refused, notOurs) = (0, 0, 0)
        for test in try WycheproofFile.named("aes_gcm").cases {
            let call = try GCMCall(test)
            let (message, ciphertext) = (try #require(test.msg).bytes, try #require(test.ct).bytes)
            let tag = try #require(test.tag).bytes
            // NIST forbids an empty nonce; Apple's older functions take it.
            guard !call.iv.isEmpty else {
                let sealed = try call.sealInSteps(message)
                #expect(try call.openInSteps(sealed.ciphertext, tag: sealed.tag).message == message, test.name)
                notOurs += 1
                continue
            }
            let opened = try call.openInSteps(ciphertext, tag: tag)
            if test.result == .valid {
                let sealed = try call.sealInSteps(message)
                #expect(sealed.ciphertext == ciphertext && sealed.tag == tag, test.name)
                #expect(opened.message == message && opened.isGenuine, test.name)
                valid += 1
            } else {
                #expect(!opened.isGenuine, test.name)
                refused += 1
            }
        }
        #expect([valid, refused, notOurs] == [229, 81, 6])
    }

    @Test("AES key wrap") func keyWrap() throws {
        var (valid, refused, acceptable) = (0, 0, 0)
        for test in try WycheproofFile.named("aes_wrap").cases {
            let key = try #require(test.key).bytes
            let (message, wrapped) = (try #require(test.msg).bytes, try #require(test.ct).bytes)
            let opened = try? KeyWrapCall.unwrap(wrapped, under: key)
            switch test.result {
            case .valid:
                #expect(opened == message, test.name)
                #expect(try KeyWrapCall.wrap(message, under: key) == wrapped, test.name)
                valid += 1
            case .invalid:
                #expect(opened == nil, test.name)
                refused += 1
            case .acceptable:
                #expect(opened == nil || opened == message, test.name)
                acceptable += 1
            }
        }
        #expect([valid, refused, acceptable] == [36, 126, 3])
    }
}
