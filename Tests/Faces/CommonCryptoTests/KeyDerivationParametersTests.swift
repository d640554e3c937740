import CommonCrypto
import CommonCryptoSPI
import Testing

@Suite struct KeyDerivationParametersTests {
    private static let sha256 = CCDigestAlgorithm(kCCDigestSHA256)

    @Test("HKDF gives the answers of RFC 5869, whole and in its two halves") func hkdf() throws {
        let cases = [
            (
                String(repeating: "0b", count: 22), "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
                "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
            ),
            (
                String(repeating: "0b", count: 22), "", "",
                "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
            ),
        ]
        for (key, salt, info, between, answer) in cases.map({ (octets($0), octets($1), octets($2), $3, $4) }) {
            var parameters: CCKDFParametersRef?
            #expect(CCKDFParametersCreateHkdf(&parameters, salt, salt.count, info, info.count) == kCCSuccess)
            defer { CCKDFParametersDestroy(parameters) }
            var prk = [UInt8](repeating: 0, count: 32)
            var output = [UInt8](repeating: 0, count: 42)
            #expect(CCDeriveKey(parameters, Self.sha256, key, key.count, &output, 42) == kCCSuccess)
            #expect(hexadecimal(output) == answer)
            output = [UInt8](repeating: 0, count: 42)
            #expect(CCHKDFExtract(parameters, Self.sha256, key, key.count, &prk, 32) == kCCSuccess)
            #expect(hexadecimal(prk) == between)
            #expect(CCHKDFExpand(parameters, Self.sha256, prk, 32, &output, 42) == kCCSuccess)
            #expect(hexadecimal(output) == answer)
        }
    }

    @Test("the counter mode, its form over fixed bytes and ANSI X9.63 are what Python makes of HMAC and SHA-256")
    func others() throws {
        let theirs = try python(
            """
            import hashlib, hmac
            def counter(key, fixed, count):
                blocks = [hmac.new(key, i.to_bytes(4, "big") + fixed, "sha256").digest() for i in range(1, 9)]
                return b"".join(blocks)[:count].hex()
            for count in (1, 32, 33, 100):
                print(counter(b"key", b"label" + bytes(1) + b"context" + (8 * count).to_bytes(4, "big"), count))
                print(counter(b"key", b"fixed", count))
                digests = [hashlib.sha256(b"key" + i.to_bytes(4, "big") + b"info").digest() for i in range(1, 9)]
                print(b"".join(digests)[:count].hex())
            """)
        var ours: [String] = []
        for count in [1, 32, 33, 100] {
            var three: [CCKDFParametersRef?] = [nil, nil, nil]
            let (label, context, fixed, info) = (
                Array("label".utf8), Array("context".utf8), Array("fixed".utf8), Array("info".utf8)
            )
            #expect(CCKDFParametersCreateCtrHmac(&three[0], label, 5, context, 7) == kCCSuccess)
            #expect(CCKDFParametersCreateCtrHmacFixed(&three[1], fixed, 5) == kCCSuccess)
            #expect(CCKDFParametersCreateAnsiX963(&three[2], info, 4) == kCCSuccess)
            for parameters in three {
                var output = [UInt8](repeating: 0, count: count)
                // The parameters point to these.
                let status = withExtendedLifetime((label, context, fixed, info)) {
                    CCDeriveKey(parameters, Self.sha256, "key", 3, &output, count)
                }
                #expect(status == kCCSuccess)
                ours.append(hexadecimal(output))
                CCKDFParametersDestroy(parameters)
            }
        }
        #expect(ours == theirs)
    }

    @Test("PBKDF2 by parameters is PBKDF2") func pbkdf2() {
        let salt = Array("salt".utf8)
        var parameters: CCKDFParametersRef?
        var output = [UInt8](repeating: 0, count: 20)
        #expect(CCKDFParametersCreatePbkdf2(&parameters, 2, salt, 4) == kCCSuccess)
        #expect(
            CCDeriveKey(parameters, CCDigestAlgorithm(kCCDigestSHA1), "password", 8, &output, 20) == kCCSuccess)
        #expect(hexadecimal(output) == "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957")
        #expect(CCHKDFExtract(parameters, Self.sha256, salt, 4, &output, 20) == kCCParamError)
        CCKDFParametersDestroy(parameters)
    }

    @Test("in one call of the older kind each function is what it is with parameters") func oneCall() {
        let (salt, info, key) = (Array("salt".utf8), Array("info".utf8), Array("key".utf8))
        func make(_ algorithm: Int) -> CCKDFParametersRef? {
            var made: CCKDFParametersRef?
            switch algorithm {
            case kCCKDFAlgorithmPBKDF2_HMAC: CCKDFParametersCreatePbkdf2(&made, 2, salt, 4)
            case kCCKDFAlgorithmCTR_HMAC: CCKDFParametersCreateCtrHmac(&made, salt, 4, info, 4)
            case kCCKDFAlgorithmCTR_HMAC_FIXED: CCKDFParametersCreateCtrHmacFixed(&made, info, 4)
            default: CCKDFParametersCreateHkdf(&made, salt, 4, info, 4)
            }
            return made
        }
        func derive(_ algorithm: Int, rounds: UInt32 = 2, into output: inout [UInt8]) -> CCStatus {
            // Label and salt have a parameter each.
            CCKeyDerivationHMac(
                CCKDFAlgorithm(algorithm), Self.sha256, rounds, key, 3, salt, 4, info, 4, nil, 9, salt, 4, &output, 40)
        }
        withExtendedLifetime((salt, info)) {
            for algorithm in [
                kCCKDFAlgorithmPBKDF2_HMAC, kCCKDFAlgorithmCTR_HMAC, kCCKDFAlgorithmCTR_HMAC_FIXED,
                kCCKDFAlgorithmHKDF,
            ] {
                var (one, other) = ([UInt8](repeating: 0, count: 40), [UInt8](repeating: 1, count: 40))
                let parameters = make(algorithm)
                #expect(CCDeriveKey(parameters, Self.sha256, key, 3, &one, 40) == kCCSuccess)
                CCKDFParametersDestroy(parameters)
                #expect(derive(algorithm, into: &other) == kCCSuccess)
                #expect(one == other)
            }
        }
        var output = [UInt8](repeating: 0xEE, count: 40)
        for algorithm in [3, 4, 5, kCCKDFAlgorithmAnsiX963, 8, Int(UInt32.max)] {
            #expect(derive(algorithm, into: &output) == kCCUnimplemented)
        }
        #expect(derive(kCCKDFAlgorithmPBKDF2_HMAC, rounds: 0, into: &output) == kCCParamError)
        #expect(output == [UInt8](repeating: 0xEE, count: 40))
    }

    @Test("a context of HKDF has at most 32768 bytes") func longestContext() {
        let info = [UInt8](repeating: 1, count: 32_769)
        var output = [UInt8](repeating: 0, count: 32)
        for (count, status) in [(32_768, kCCSuccess), (32_769, kCCParamError)] {
            var parameters: CCKDFParametersRef?
            withExtendedLifetime(info) {
                #expect(CCKDFParametersCreateHkdf(&parameters, nil, 0, info, count) == kCCSuccess)
                #expect(CCDeriveKey(parameters, Self.sha256, info, 3, &output, 32) == status)
            }
            CCKDFParametersDestroy(parameters)
        }
    }

    @Test("what is wrong has its code") func badInput() {
        var parameters: CCKDFParametersRef?
        var output = [UInt8](repeating: 0xEE, count: 64)
        #expect(CCKDFParametersCreatePbkdf2(&parameters, 0, output, 4) == kCCParamError)
        #expect(CCKDFParametersCreatePbkdf2(&parameters, 1, nil, 4) == kCCParamError)
        #expect(CCKDFParametersCreateHkdf(&parameters, nil, 1, nil, 0) == kCCParamError)
        #expect(CCKDFParametersCreateHkdf(&parameters, nil, 0, nil, 1) == kCCParamError)
        #expect(CCKDFParametersCreateHkdf(&parameters, output, -1, nil, 0) == kCCParamError)
        #expect(CCKDFParametersCreateHkdf(nil, nil, 0, nil, 0) == kCCParamError)
        #expect(parameters == nil)
        #expect(CCDeriveKey(nil, Self.sha256, output, 4, &output, 4) == kCCParamError)
        #expect(CCKDFParametersCreateHkdf(&parameters, nil, 0, nil, 0) == kCCSuccess)
        #expect(CCDeriveKey(parameters, 4, output, 4, &output, 4) == kCCParamError)
        #expect(CCDeriveKey(parameters, Self.sha256, nil, 4, &output, 4) == kCCParamError)
        #expect(CCDeriveKey(parameters, Self.sha256, output, 4, nil, 4) == kCCParamError)
        #expect(CCDeriveKey(parameters, Self.sha256, output, 4, &output, 0) == kCCParamError)
        #expect(CCHKDFExtract(parameters, Self.sha256, output, 4, &output, 31) == kCCParamError)
        #expect(CCHKDFExpand(parameters, Self.sha256, output, 31, &output, 31) == kCCParamError)
        #expect(output == [UInt8](repeating: 0xEE, count: 64))
        // HKDF takes an empty key; 255 digests are the most it gives.
        #expect(CCDeriveKey(parameters, Self.sha256, nil, 0, &output, 4) == kCCSuccess)
        var long = [UInt8](repeating: 0, count: 255 * 32 + 1)
        #expect(CCDeriveKey(parameters, Self.sha256, output, 4, &long, 255 * 32) == kCCSuccess)
        #expect(CCDeriveKey(parameters, Self.sha256, output, 4, &long, 255 * 32 + 1) == kCCParamError)
        #expect(CCHKDFExpand(parameters, Self.sha256, output, 32, &long, 255 * 32 + 1) == kCCUnspecifiedError)
        CCKDFParametersDestroy(parameters)
        #expect(CCKDFParametersCreateAnsiX963(&parameters, nil, 0) == kCCSuccess)
        #expect(CCDeriveKey(parameters, Self.sha256, nil, 0, &output, 4) == kCCParamError)
        CCKDFParametersDestroy(parameters)
        CCKDFParametersDestroy(nil)
    }
}
