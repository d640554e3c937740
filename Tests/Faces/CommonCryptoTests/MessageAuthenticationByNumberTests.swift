import CommonCrypto
import CommonCryptoSPI
import Testing

@Suite struct MessageAuthenticationByNumberTests {
    @Test("HMAC by number is HMAC, also in a clone") func numbers() throws {
        let pairs = [
            (kCCHmacAlgMD5, kCCDigestMD5, 16), (kCCHmacAlgSHA1, kCCDigestSHA1, 20),
            (kCCHmacAlgSHA224, kCCDigestSHA224, 28), (kCCHmacAlgSHA256, kCCDigestSHA256, 32),
            (kCCHmacAlgSHA384, kCCDigestSHA384, 48), (kCCHmacAlgSHA512, kCCDigestSHA512, 64),
        ]
        for (algorithm, number, byteCount) in pairs {
            var answer = [UInt8](repeating: 0, count: byteCount)
            CCHmac(CCHmacAlgorithm(algorithm), "key", 3, "a message", 9, &answer)
            var output = [UInt8](repeating: 0, count: byteCount)
            CCHmacOneShot(CCDigestAlgorithm(number), "key", 3, "a message", 9, &output)
            #expect(output == answer)
            let context = try #require(CCHmacCreate(CCDigestAlgorithm(number), "key", 3))
            defer { CCHmacDestroy(context) }
            #expect(CCHmacOutputSizeFromRef(context) == byteCount)
            #expect(CCHmacOutputSize(CCDigestAlgorithm(number)) == byteCount)
            CCHmacUpdate(context, "a me", 4)
            let clone = try #require(CCHmacClone(context))
            defer { CCHmacDestroy(clone) }
            for running in [context, clone] {
                CCHmacUpdate(running, "ssage", 5)
                output = [UInt8](repeating: 0, count: byteCount)
                CCHmacFinal(running, &output)
                #expect(output == answer)
                #expect(CCHmacOutputSizeFromRef(running) == 0, "it is finished")
            }
        }
        #expect(CCHmacCreate(CCDigestAlgorithm(kCCDigestSHA3_256), "key", 3) == nil)
        #expect(CCHmacCreate(CCDigestAlgorithm(kCCDigestSHA256), nil, 3) == nil)
        #expect(CCHmacClone(nil) == nil)
        CCHmacDestroy(nil)
    }

    @Test("AES-CMAC gives the answers of RFC 4493 and SP 800-38B") func cmac() throws {
        let message = octets(
            "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411")
        let keys = [
            octets("2b7e151628aed2a6abf7158809cf4f3c"),
            octets("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"),
            octets("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
        ]
        let answers = [
            "dfa66747de9ae63030ca32611497c827", "8a1de5be2eb31aad089a82e6ee908b0e", "aaf3d8f1de5640c232f5b169b9c911e6",
        ]
        var output = [UInt8](repeating: 0, count: 16)
        CCAESCmac(keys[0], message, 40, &output)
        #expect(hexadecimal(output) == answers[0])
        for (key, answer) in zip(keys, answers) {
            for cut in message.indices {
                let context = try #require(CCAESCmacCreate(key, key.count))
                defer { CCAESCmacDestroy(context) }
                message[..<cut].withUnsafeBytes { CCAESCmacUpdate(context, $0.baseAddress, $0.count) }
                message[cut...].withUnsafeBytes { CCAESCmacUpdate(context, $0.baseAddress, $0.count) }
                #expect(CCAESCmacOutputSizeFromContext(context) == 16)
                CCAESCmacFinal(context, &output)
                #expect(hexadecimal(output) == answer)
            }
        }
        output = [UInt8](repeating: 0xEE, count: 16)
        for count in [0, 8, 15, 33, -1] { #expect(CCAESCmacCreate(keys[2], count) == nil) }
        #expect(CCAESCmacCreate(nil, 16) == nil)
        CCAESCmac(nil, message, 40, &output)
        CCAESCmac(keys[0], nil, 40, &output)
        CCAESCmac(keys[0], message, -1, &output)
        CCAESCmac(keys[0], message, 40, nil)
        CCAESCmacUpdate(nil, message, 1)
        CCAESCmacFinal(nil, &output)
        CCAESCmacDestroy(nil)
        #expect(output == [UInt8](repeating: 0xEE, count: 16))
    }
}
