import CommonCrypto
import CommonCryptoSPI
import LatchkeyTestSupport
import Testing

/// Wycheproof's cases for codes and for keys from passwords.
@Suite struct WycheproofDigestTests {
    /// Name, algorithm, bytes of the code, valid and invalid cases.
    static let codeFiles = [
        ("sha1", kCCHmacAlgSHA1, 20, [66, 104]), ("sha224", kCCHmacAlgSHA224, 28, [66, 106]),
        ("sha256", kCCHmacAlgSHA256, 32, [66, 108]), ("sha384", kCCHmacAlgSHA384, 48, [66, 108]),
        ("sha512", kCCHmacAlgSHA512, 64, [66, 108]),
    ]

    @Test("HMAC: the code is that of the valid cases alone, cut where the case cuts it", arguments: codeFiles)
    func codes(_ name: String, _ algorithm: Int, _ length: Int, _ counts: [Int]) throws {
        var (valid, forged) = (0, 0)
        let file = try WycheproofFile.named("hmac_\(name)")
        for group in file.testGroups {
            for test in group.tests {
                let (key, message) = (try #require(test.key).bytes, try #require(test.msg).bytes)
                let tag = try #require(test.tag).bytes
                let cut = try #require(group.tagSize) / 8
                let code = MACCall.code(algorithm, key: key, message, length: length)
                #expect((Array(code.prefix(cut)) == tag) == (test.result == .valid), test.name)
                #expect(MACCall.codeInPieces(algorithm, key: key, message, length: length) == code, test.name)
                if test.result == .valid { valid += 1 } else { forged += 1 }
            }
        }
        #expect([valid, forged] == counts)
        #expect(valid + forged == file.numberOfTests)
    }

    static let functions = [
        ("sha1", kCCPRFHmacAlgSHA1, 63), ("sha224", kCCPRFHmacAlgSHA224, 58), ("sha256", kCCPRFHmacAlgSHA256, 60),
        ("sha384", kCCPRFHmacAlgSHA384, 58), ("sha512", kCCPRFHmacAlgSHA512, 58),
    ]

    @Test("PBKDF2", arguments: functions)
    func passwords(_ name: String, _ function: Int, _ count: Int) throws {
        let file = try WycheproofFile.named("pbkdf2_hmac\(name)")
        // One has 16777216 rounds: seconds of the same as the others.
        let cases = file.cases.filter { ($0.iterationCount ?? 0) < 1_000_000 }
        for test in cases {
            let password = GuardedBytes(try #require(test.password).bytes)
            let salt = GuardedBytes(try #require(test.salt).bytes)
            let derived = try #require(test.dk).bytes
            let output = GuardedBytes(count: derived.count)
            let status = CCKeyDerivationPBKDF(
                CCPBKDFAlgorithm(kCCPBKDF2), password.start.assumingMemoryBound(to: CChar.self),
                password.bytes.count, salt.start.assumingMemoryBound(to: UInt8.self),
                salt.bytes.count, CCPseudoRandomAlgorithm(function), UInt32(try #require(test.iterationCount)),
                output.start.assumingMemoryBound(to: UInt8.self), derived.count)
            #expect(test.result == .valid, test.name)
            #expect(status == kCCSuccess && output.contents(derived.count) == derived, test.name)
        }
        #expect(cases.count == count)
    }

    @Test("AES-CMAC: the code is that of the valid cases alone, under the keys that AES has") func cmac() throws {
        var (valid, forged, noKey) = (0, 0, 0)
        for test in try WycheproofFile.named("aes_cmac").cases {
            let (key, message) = (try #require(test.key).bytes, try #require(test.msg).bytes)
            let tag = try #require(test.tag).bytes
            guard [16, 24, 32].contains(key.count) else {
                #expect(CMACCall.code(key: key, message) == nil, test.name)
                noKey += 1
                continue
            }
            let code = try #require(CMACCall.code(key: key, message), test.name)
            #expect((code == tag) == (test.result == .valid), test.name)
            if key.count == 16 { #expect(CMACCall.oneShot(key: key, message) == code, test.name) }
            if test.result == .valid { valid += 1 } else { forged += 1 }
        }
        #expect([valid, forged, noKey] == [63, 243, 5])
    }

    static let hkdfFiles = [
        ("sha1", kCCDigestSHA1, 84), ("sha256", kCCDigestSHA256, 83), ("sha384", kCCDigestSHA384, 80),
        ("sha512", kCCDigestSHA512, 80),
    ]

    @Test("HKDF: keys as long as it can give, and none that are longer", arguments: hkdfFiles)
    func hkdf(_ name: String, _ digest: Int, _ expectedCount: Int) throws {
        var (valid, tooLong) = (0, 0)
        for test in try WycheproofFile.named("hkdf_\(name)").cases {
            let input = GuardedBytes(try #require(test.ikm).bytes)
            let salt = GuardedBytes(try #require(test.salt).bytes)
            let info = GuardedBytes(try #require(test.info).bytes)
            var parameters: CCKDFParametersRef?
            #expect(
                CCKDFParametersCreateHkdf(&parameters, salt.start, salt.bytes.count, info.start, info.bytes.count)
                    == kCCSuccess)
            defer { CCKDFParametersDestroy(parameters) }
            let output = GuardedBytes(count: try #require(test.size))
            let status = CCDeriveKey(
                parameters, CCDigestAlgorithm(digest), input.start, input.bytes.count, output.start,
                output.bytes.count)
            if test.result == .valid {
                #expect(status == kCCSuccess && output.contents(output.bytes.count) == test.okm?.bytes, test.name)
                valid += 1
            } else {
                #expect(status == kCCParamError, test.name)
                tooLong += 1
            }
        }
        #expect([valid, tooLong] == [expectedCount, 3])
    }
}
