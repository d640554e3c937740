import CommonCrypto
import CommonCryptoSPI
import LatchkeyTestSupport
import Testing

/// AES-GCM: its steps, their order, and what is refused.
@Suite struct CryptorGCMTests {
    private static let key = TestedCipher.bytes(16)
    private static let iv = TestedCipher.bytes(12, from: 30)
    private static let associated = TestedCipher.bytes(20, from: 60)
    private static let message = TestedCipher.bytes(50, from: 90)

    private static func withGCM<Value>(_ operation: Int, _ body: (CCCryptorRef) throws -> Value) throws -> Value {
        try CipherCall(mode: kCCModeGCM, key: key).withCryptor(operation, body)
    }

    private static func start(_ cryptor: CCCryptorRef) {
        #expect(CCCryptorGCMSetIV(cryptor, iv, iv.count) == kCCSuccess)
        #expect(CCCryptorGCMAddAAD(cryptor, associated, associated.count) == kCCSuccess)
    }

    /// McGrew and Viega, case 4, and a vector of 60 bytes, case 6.
    static let vectors = [
        ("cafebabefacedbaddecaf888", "5bc94fbc3221a5db94fae95ae7121a47"),
        (
            "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539"
                + "fcf0e2429a6b525416aedbf5a0de6a57a637b39b",
            "619cc5aefffe0bfa462af43c1699d050"
        ),
    ]

    @Test("the known answers, at once and in steps, both ways", arguments: vectors)
    func knownAnswers(_ iv: String, _ tag: String) throws {
        let call = GCMCall(
            key: try #require(Hex("feffe9928665731c6d6a8f9467308308")).bytes, iv: try #require(Hex(iv)).bytes,
            associated: try #require(Hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")).bytes)
        let message = try #require(
            Hex(
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c9595680953"
                    + "2fcf0e2449a6b525b16aedf5aa0de657ba637b39"
            )
        ).bytes
        let sealed = try call.seal(message)
        #expect(sealed.tag == Hex(tag)?.bytes)
        #expect(try call.sealInSteps(message) == sealed)
        #expect(try call.open(sealed.ciphertext, tag: sealed.tag) == message)
        #expect(try call.openInSteps(sealed.ciphertext, tag: sealed.tag).isGenuine)
        var forged = sealed.tag
        forged[15] ^= 1
        #expect(throws: CipherCall.Refusal(status: CCCryptorStatus(kCCUnspecifiedError))) {
            try call.open(sealed.ciphertext, tag: forged)
        }
        #expect(try !call.openInSteps(sealed.ciphertext, tag: forged).isGenuine)
    }

    @Test("the older functions give the tag of both directions, cut to the length that is asked for")
    func olderFunctions() throws {
        let sealed = try GCMCall(key: Self.key, iv: Self.iv, associated: Self.associated).seal(Self.message)
        for length in 0...20 {
            for (operation, input, expected) in [
                (kCCEncrypt, Self.message, sealed.ciphertext), (kCCDecrypt, sealed.ciphertext, Self.message),
            ] {
                var (output, tag) = ([UInt8](repeating: 0, count: 50), [UInt8](repeating: 0xEE, count: 20))
                var tagLength = length
                #expect(
                    CCCryptorGCM(
                        CCOperation(operation), 0, Self.key, 16, Self.iv, 12, Self.associated, 20, input, 50, &output,
                        &tag, &tagLength) == kCCSuccess)
                #expect(output == expected && tagLength == length)
                let given = min(length, 16)
                #expect(tag.prefix(given) == sealed.tag.prefix(given))
                #expect(tag[given...].allSatisfy { $0 == 0xEE })
            }
        }
    }

    @Test("text and associated data come in pieces, by any of their names, and by the general calls")
    func pieces() throws {
        let sealed = try GCMCall(key: Self.key, iv: Self.iv, associated: Self.associated).seal(Self.message)
        for (operation, input, expected) in [
            (kCCEncrypt, Self.message, sealed.ciphertext), (kCCDecrypt, sealed.ciphertext, Self.message),
        ] {
            try Self.withGCM(operation) { cryptor in
                for _ in 0..<2 {
                    let data = Self.associated
                    #expect(CCCryptorAddParameter(cryptor, CCParameter(kCCParameterIV), Self.iv, 12) == kCCSuccess)
                    #expect(CCCryptorGCMaddAAD(cryptor, data, 3) == kCCSuccess)
                    #expect(CCCryptorGCMAddADD(cryptor, Array(data[3..<10]), 7) == kCCSuccess)
                    #expect(CCCryptorGCMAddAAD(cryptor, nil, 0) == kCCSuccess)
                    let rest = Array(data[10...])
                    let authData = CCParameter(kCCParameterAuthData)
                    #expect(CCCryptorAddParameter(cryptor, authData, rest, 10) == kCCSuccess)
                    var (output, moved) = (input, 0)
                    output.withUnsafeMutableBytes { bytes in
                        guard let start = bytes.baseAddress else { return }
                        #expect(CCCryptorUpdate(cryptor, start, 17, start, 17, &moved) == kCCSuccess)
                        #expect(moved == 17)
                        #expect(CCCryptorGCMEncrypt(cryptor, start + 17, 1, start + 17) == kCCSuccess)
                        #expect(CCCryptorGCMDecrypt(cryptor, start + 18, 32, start + 18) == kCCSuccess)
                        #expect(CCCryptorGCMDecrypt(cryptor, nil, 0, start) == kCCSuccess)
                    }
                    #expect(output == expected)
                    #expect(CCCryptorFinal(cryptor, nil, 0, nil) == kCCSuccess)
                    var (tag, length) = ([UInt8](repeating: 0, count: 16), 16)
                    #expect(CCCryptorGCMFinal(cryptor, &tag, &length) == kCCSuccess)
                    #expect(tag == sealed.tag)
                    // And once more with the same key.
                    #expect(CCCryptorGCMReset(cryptor) == kCCSuccess)
                }
            }
        }
    }

    @Test("the empty message has a tag, and needs no memory")
    func empty() throws {
        let sealed = try GCMCall(key: Self.key, iv: Self.iv, associated: []).seal([])
        try Self.withGCM(kCCEncrypt) { cryptor in
            var (tag, length) = ([UInt8](repeating: 0, count: 16), 16)
            #expect(CCCryptorGCMSetIV(cryptor, Self.iv, 12) == kCCSuccess)
            #expect(CCCryptorGCMFinal(cryptor, &tag, &length) == kCCSuccess)
            #expect(tag == sealed.tag)
        }
        #expect(
            CCCryptorGCMOneshotDecrypt(
                0, Self.key, 16, Self.iv, 12, nil, 0, nil, 0, nil, sealed.tag, 16) == kCCSuccess)
        var tag = [UInt8](repeating: 0, count: 16)
        #expect(
            CCCryptorGCMOneshotEncrypt(0, Self.key, 16, Self.iv, 12, nil, 0, nil, 0, nil, &tag, 16) == kCCSuccess)
        #expect(tag == sealed.tag)
    }

    /// The answer without a vector is of Apple's own tests.
    @Test("vectors that libcrypto's own cipher does not take: none, and long ones")
    func otherVectors() throws {
        let zeros = [UInt8](repeating: 0, count: 16)
        try CipherCall(mode: kCCModeGCM, key: zeros).withCryptor(kCCEncrypt) { cryptor in
            var (tag, length) = (zeros, 16)
            #expect(CCCryptorGCMAddIV(cryptor, nil, 0) == kCCSuccess)
            #expect(CCCryptorGCMEncrypt(cryptor, nil, 0, &tag) == kCCSuccess)
            #expect(CCCryptorGCMFinal(cryptor, &tag, &length) == kCCSuccess)
            #expect(tag == Hex("66e94bd4ef8a2c3b884cfa59ca342b2e")?.bytes)
        }
        for count in [0, 129, 257, 1000] {
            let call = GCMCall(key: Self.key, iv: TestedCipher.bytes(count), associated: Self.associated)
            let sealed = try call.sealInSteps(Self.message)
            let opened = try call.openInSteps(sealed.ciphertext, tag: sealed.tag)
            #expect(opened.message == Self.message && opened.isGenuine)
            let forged = try call.openInSteps(sealed.ciphertext, tag: Array(sealed.tag.reversed()))
            #expect(!forged.isGenuine)
            if count > 0 { #expect(try call.seal(Self.message) == sealed) }
        }
    }

    /// Computed from the definition in NIST SP 800-38D, with single blocks of openssl.
    private static let longVectorAnswer =
        "c1888192dc5e3776c254ece40e9261cff36f3ebe24808988e3048b1bd82f5dadfb"
        + "e64dc6d7d3ceec3efb8ac3e07b8d30af716cff9969868e5d97cec1ae34b9cf9ed2"

    @Test("a long vector gives the known answer")
    func longVector() throws {
        let call = GCMCall(key: Self.key, iv: TestedCipher.bytes(200), associated: Self.associated)
        let sealed = try call.seal(Self.message)
        #expect(Hex(sealed.ciphertext + sealed.tag).text == Self.longVectorAnswer)
    }

    @Test("steps in another order are refused, and the general calls say so in their own way")
    func order() throws {
        var (output, tag, length, moved) = (
            [UInt8](repeating: 0, count: 50), [UInt8](repeating: 0, count: 16), 16, 0
        )
        let data = Self.associated
        try Self.withGCM(kCCEncrypt) { cryptor in
            // Before the vector.
            #expect(CCCryptorGCMAddAAD(cryptor, data, 20) == kCCUnspecifiedError)
            #expect(CCCryptorGCMEncrypt(cryptor, Self.message, 50, &output) == kCCUnspecifiedError)
            #expect(CCCryptorUpdate(cryptor, Self.message, 50, &output, 50, &moved) == kCCCallSequenceError)
            #expect(CCCryptorAddParameter(cryptor, CCParameter(kCCParameterAuthData), data, 20) == kCCCallSequenceError)
            #expect(CCCryptorGCMFinal(cryptor, &tag, &length) == kCCUnspecifiedError)
            #expect(CCCryptorGCMFinalize(cryptor, &tag, 16) == kCCUnspecifiedError)
            #expect(tag.allSatisfy { $0 == 0 } && output.allSatisfy { $0 == 0 } && moved == 0)
            Self.start(cryptor)
            #expect(CCCryptorGCMSetIV(cryptor, Self.iv, 12) == kCCUnspecifiedError)
            #expect(CCCryptorAddParameter(cryptor, CCParameter(kCCParameterIV), Self.iv, 12) == kCCParamError)
            #expect(CCCryptorGCMEncrypt(cryptor, Self.message, 50, &output) == kCCSuccess)
            #expect(CCCryptorGCMAddAAD(cryptor, data, 20) == kCCUnspecifiedError)
            #expect(CCCryptorGCMFinalize(cryptor, &tag, 16) == kCCSuccess)
            // After the tag.
            #expect(CCCryptorGCMFinalize(cryptor, &tag, 16) == kCCUnspecifiedError)
            #expect(CCCryptorGCMEncrypt(cryptor, Self.message, 50, &output) == kCCUnspecifiedError)
            #expect(CCCryptorGCMSetIV(cryptor, Self.iv, 12) == kCCUnspecifiedError)
            #expect(CCCryptorGCMReset(cryptor) == kCCSuccess)
            Self.start(cryptor)
        }
        let sealed = try GCMCall(key: Self.key, iv: Self.iv, associated: data).seal(Self.message)
        #expect(output == sealed.ciphertext && tag == sealed.tag)
    }

    @Test("null pointers and lengths out of bounds are wrong parameters")
    func parameters() throws {
        var (output, tag, length) = ([UInt8](repeating: 0, count: 50), [UInt8](repeating: 0, count: 16), 16)
        try Self.withGCM(kCCEncrypt) { cryptor in
            for count in [-1, 0, 11, Int.min, Int.max] {
                #expect(CCCryptorGCMSetIV(cryptor, Self.iv, count) == kCCParamError)
            }
            #expect(CCCryptorGCMSetIV(cryptor, nil, 12) == kCCParamError)
            #expect(CCCryptorGCMAddIV(cryptor, nil, 8) == kCCParamError)
            #expect(CCCryptorGCMAddIV(cryptor, Self.iv, -1) == kCCParamError)
            // A short vector is for the older function.
            #expect(CCCryptorGCMAddIV(cryptor, Self.iv, 8) == kCCSuccess)
            #expect(CCCryptorGCMAddAAD(cryptor, nil, 1) == kCCParamError)
            #expect(CCCryptorGCMAddAAD(cryptor, output, -1) == kCCParamError)
            #expect(CCCryptorGCMEncrypt(cryptor, nil, 1, &output) == kCCParamError)
            #expect(CCCryptorGCMEncrypt(cryptor, Self.message, 0, nil) == kCCParamError)
            #expect(CCCryptorGCMEncrypt(cryptor, Self.message, -1, &output) == kCCParamError)
            #expect(CCCryptorGCMFinal(cryptor, nil, &length) == kCCParamError)
            #expect(CCCryptorGCMFinal(cryptor, &tag, nil) == kCCParamError)
            for count in [-1, 0, 7, 17, Int.max] {
                #expect(CCCryptorGCMFinalize(cryptor, &tag, count) == kCCParamError)
            }
            #expect(CCCryptorGCMFinalize(cryptor, nil, 16) == kCCParamError)
            #expect(CCCryptorGCMFinalize(cryptor, &tag, 8) == kCCSuccess)
            #expect(tag.prefix(8).contains { $0 != 0 } && tag.suffix(8).allSatisfy { $0 == 0 })
            let sizes = [(kCCMacSize, kCCUnimplemented), (kCCDataSize, kCCUnimplemented), (99, kCCParamError)]
            for (parameter, expected) in sizes {
                #expect(CCCryptorAddParameter(cryptor, CCParameter(parameter), tag, 16) == expected)
            }
            #expect(CCCryptorGetParameter(cryptor, CCParameter(kCCParameterAuthTag), &tag, &length) == kCCUnimplemented)
            #expect(CCCryptorGetParameter(cryptor, CCParameter(kCCParameterIV), &tag, &length) == kCCParamError)
        }
    }

    @Test("what is no GCM has none of its steps")
    func otherModes() throws {
        var (tag, length) = ([UInt8](repeating: 0, count: 16), 16)
        try CipherCall(key: Self.key).withCryptor(kCCEncrypt) { cryptor in
            #expect(CCCryptorGCMSetIV(cryptor, Self.iv, 12) == kCCParamError)
            #expect(CCCryptorGCMAddIV(cryptor, Self.iv, 12) == kCCParamError)
            #expect(CCCryptorGCMAddAAD(cryptor, tag, 16) == kCCParamError)
            #expect(CCCryptorGCMEncrypt(cryptor, tag, 16, &tag) == kCCParamError)
            #expect(CCCryptorGCMFinal(cryptor, &tag, &length) == kCCParamError)
            #expect(CCCryptorGCMFinalize(cryptor, &tag, 16) == kCCParamError)
            #expect(CCCryptorGCMReset(cryptor) == kCCParamError)
            #expect(CCCryptorAddParameter(cryptor, CCParameter(kCCParameterIV), tag, 16) == kCCUnimplemented)
            #expect(CCCryptorAddParameter(cryptor, CCParameter(kCCParameterAuthData), tag, 16) == kCCUnimplemented)
        }
        #expect(CCCryptorGCMReset(nil) == kCCParamError)
        #expect(CCCryptorGCMFinalize(nil, &tag, 16) == kCCParamError)
    }

    @Test("one call checks in order: the cipher, the key's length, the lengths, the pointers")
    func oneShotChecks() {
        var (output, tag) = ([UInt8](repeating: 0, count: 50), [UInt8](repeating: 0, count: 16))
        func seal(
            algorithm: Int = 0, keyLength: Int = 16, ivLength: Int = 12, tagLength: Int = 16, key: [UInt8]? = Self.key
        ) -> CCCryptorStatus {
            key.withOptionalBytes {
                CCCryptorGCMOneshotEncrypt(
                    CCAlgorithm(algorithm), $0, keyLength, Self.iv, ivLength, nil, 0, Self.message, 50, &output, &tag,
                    tagLength)
            }
        }
        #expect(seal(algorithm: kCCAlgorithmDES, keyLength: 3) == kCCParamError)
        #expect(seal(keyLength: 33, ivLength: 1, tagLength: 1) == kCCKeySizeError)
        #expect(seal(tagLength: 7) == kCCParamError)
        #expect(seal(tagLength: 17) == kCCParamError)
        #expect(seal(ivLength: 11) == kCCParamError)
        #expect(seal(key: nil) == kCCParamError)
        #expect(output.allSatisfy { $0 == 0 } && tag.allSatisfy { $0 == 0 })
        #expect(
            CCCryptorGCMOneshotEncrypt(0, Self.key, 16, Self.iv, 12, nil, 5, Self.message, 50, &output, &tag, 16)
                == kCCParamError)
        #expect(
            CCCryptorGCMOneshotEncrypt(0, Self.key, 16, Self.iv, 12, nil, 0, nil, 50, &output, &tag, 16)
                == kCCParamError)
        #expect(
            CCCryptorGCMOneshotEncrypt(0, Self.key, 16, Self.iv, 12, nil, 0, Self.message, 50, nil, &tag, 16)
                == kCCParamError)
        #expect(
            CCCryptorGCMOneshotDecrypt(0, Self.key, 16, Self.iv, 12, nil, 0, Self.message, 50, &output, nil, 16)
                == kCCParamError)
        #expect(seal(tagLength: 8) == kCCSuccess)
    }
}
