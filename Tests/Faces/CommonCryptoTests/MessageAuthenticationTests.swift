import CommonCrypto
import Testing

@Suite struct MessageAuthenticationTests {
    static let algorithms: [(name: String, algorithm: Int, byteCount: Int, blockByteCount: Int)] = [
        ("md5", kCCHmacAlgMD5, 16, 64), ("sha1", kCCHmacAlgSHA1, 20, 64), ("sha224", kCCHmacAlgSHA224, 28, 64),
        ("sha256", kCCHmacAlgSHA256, 32, 64), ("sha384", kCCHmacAlgSHA384, 48, 128),
        ("sha512", kCCHmacAlgSHA512, 64, 128),
    ]

    /// The second, sixth and seventh case of RFC 4231, and of RFC 2202 the second.
    static let answers: [(algorithm: Int, key: [UInt8], message: String, answer: String)] = [
        (kCCHmacAlgMD5, Array("Jefe".utf8), "what do ya want for nothing?", "750c783e6ab0b503eaa86e310a5db738"),
        (
            kCCHmacAlgSHA1, Array("Jefe".utf8), "what do ya want for nothing?",
            "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
        ),
        (
            kCCHmacAlgSHA224, Array("Jefe".utf8), "what do ya want for nothing?",
            "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"
        ),
        (
            kCCHmacAlgSHA256, Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            kCCHmacAlgSHA384, Array("Jefe".utf8), "what do ya want for nothing?",
            "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"
        ),
        (
            kCCHmacAlgSHA512, Array("Jefe".utf8), "what do ya want for nothing?",
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
        ),
        (
            kCCHmacAlgSHA256, [UInt8](repeating: 0xAA, count: 131),
            "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            kCCHmacAlgSHA512, [UInt8](repeating: 0xAA, count: 131),
            "This is a test using a larger than block-size key and a larger than block-size data. "
                + "The key needs to be hashed before being used by the HMAC algorithm.",
            "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
                + "b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58"
        ),
    ]

    @Test("codes are those of the RFCs") func standards() {
        for (algorithm, key, message, answer) in Self.answers {
            let code = code(algorithm, key, Array(message.utf8), byteCount: answer.count / 2)
            #expect(hexadecimal(code) == answer)
        }
    }

    @Test("codes under keys of 0 to 200 bytes are those of Python's hmac") func others() throws {
        let script = """
            import hmac
            for name in "\(Self.algorithms.map(\.name).joined(separator: " "))".split():
                for count in range(201):
                    print(hmac.new(bytes(i % 251 for i in range(count)), b"m" * (200 - count), name).hexdigest())
            """
        let theirs = try python(script)
        let ours = Self.algorithms.flatMap { row in
            (0...200).map { count in
                let message = [UInt8](repeating: UInt8(ascii: "m"), count: 200 - count)
                return hexadecimal(
                    code(row.algorithm, (0..<count).map { UInt8($0 % 251) }, message, byteCount: row.byteCount))
            }
        }
        #expect(ours == theirs)
    }

    @Test("a message in two pieces has the code of the whole, wherever it is cut") func pieces() {
        for row in Self.algorithms {
            let message = (0..<(2 * row.blockByteCount + 5)).map { UInt8($0 % 250) }
            let key: [UInt8] = [1, 2, 3]
            let whole = code(row.algorithm, key, message, byteCount: row.byteCount)
            for cut in message.indices {
                var context = CCHmacContext()
                var output = [UInt8](repeating: 0, count: row.byteCount)
                CCHmacInit(&context, CCHmacAlgorithm(row.algorithm), key, key.count)
                message[..<cut].withUnsafeBytes { CCHmacUpdate(&context, $0.baseAddress, $0.count) }
                message[cut...].withUnsafeBytes { CCHmacUpdate(&context, $0.baseAddress, $0.count) }
                CCHmacFinal(&context, &output)
                #expect(output == whole, "\(row.name) cut at \(cut)")
            }
        }
    }

    @Test("a running code may be copied, also to an address of another alignment") func copies() {
        for row in Self.algorithms {
            var context = CCHmacContext()
            CCHmacInit(&context, CCHmacAlgorithm(row.algorithm), "key", 3)
            CCHmacUpdate(&context, "begun ", 6)
            let memory = UnsafeMutableRawPointer.allocate(byteCount: 3 * 384, alignment: 8)
            defer { memory.deallocate() }
            for offset in [0, 4, 388] {
                let copy = (memory + offset).bindMemory(to: CCHmacContext.self, capacity: 1)
                copy.pointee = context
                var output = [UInt8](repeating: 0, count: row.byteCount)
                CCHmacUpdate(copy, "and done", 8)
                CCHmacFinal(copy, &output)
                #expect(
                    output
                        == code(
                            row.algorithm, Array("key".utf8), Array("begun and done".utf8), byteCount: row.byteCount))
            }
        }
    }

    @Test("what is wrong leaves the output alone") func badInput() {
        let untouched = [UInt8](repeating: 0xEE, count: 64)
        let data: [UInt8] = [1, 2, 3]
        let sha256 = CCHmacAlgorithm(kCCHmacAlgSHA256)
        var output = untouched
        CCHmac(6, data, 3, data, 3, &output)
        CCHmac(.max, data, 3, data, 3, &output)
        CCHmac(sha256, nil, 3, data, 3, &output)
        CCHmac(sha256, data, 3, nil, 3, &output)
        CCHmac(sha256, data, -1, data, 3, &output)
        CCHmac(sha256, data, 3, data, -1, &output)
        CCHmac(sha256, data, 3, data, 3, nil)
        CCHmacInit(nil, sha256, data, 3)
        CCHmacUpdate(nil, data, 3)
        CCHmacFinal(nil, &output)
        var never = CCHmacContext()
        CCHmacUpdate(&never, data, 3)
        CCHmacFinal(&never, &output)
        var context = CCHmacContext()
        CCHmacInit(&context, sha256, data, 3)
        CCHmacFinal(&context, nil)
        CCHmacUpdate(&context, nil, 3)
        CCHmacUpdate(&context, data, 3)
        CCHmacFinal(&context, &output)
        #expect(output == untouched)
        // A context that was finished is like one that was never initialised, and Init makes it usable.
        CCHmacInit(&context, sha256, data, 3)
        CCHmacFinal(&context, &output)
        #expect(Array(output.prefix(32)) == code(kCCHmacAlgSHA256, data, [], byteCount: 32))
        output = untouched
        CCHmacFinal(&context, &output)
        #expect(output == untouched)
    }

    @Test("an empty key and an empty message have a code, with null pointers too") func emptiness() {
        var output = [UInt8](repeating: 0, count: 32)
        CCHmac(CCHmacAlgorithm(kCCHmacAlgSHA256), nil, 0, nil, 0, &output)
        #expect(hexadecimal(output) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test("a finished context holds nothing of the key") func wiping() {
        var context = CCHmacContext()
        var output = [UInt8](repeating: 0, count: 32)
        CCHmacInit(&context, CCHmacAlgorithm(kCCHmacAlgSHA256), "key", 3)
        CCHmacFinal(&context, &output)
        #expect(withUnsafeBytes(of: context) { $0.allSatisfy { $0 == 0 } })
    }

    private func code(_ algorithm: Int, _ key: [UInt8], _ message: [UInt8], byteCount: Int) -> [UInt8] {
        // A byte more than is written shows a write too far.
        var output = [UInt8](repeating: 0xEE, count: byteCount + 1)
        CCHmac(CCHmacAlgorithm(algorithm), key, key.count, message, message.count, &output)
        return output.removeLast() == 0xEE ? output : []
    }
}
