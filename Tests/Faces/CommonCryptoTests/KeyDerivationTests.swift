import CommonCrypto
import LatchkeyCommonCryptoFunctions
import Testing

@Suite struct KeyDerivationTests {
    /// RFC 6070 and RFC 7914, section 11.
    static let answers: [(function: Int, password: String, salt: String, rounds: UInt32, key: String)] = [
        (kCCPRFHmacAlgSHA1, "password", "salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
        (kCCPRFHmacAlgSHA1, "password", "salt", 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
        (kCCPRFHmacAlgSHA1, "password", "salt", 4096, "4b007901b765489abead49d926f721d065a429c1"),
        (
            kCCPRFHmacAlgSHA1, "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096,
            "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"
        ),
        (kCCPRFHmacAlgSHA1, "pass\0word", "sa\0lt", 4096, "56fa6aa75548099dcc37d7f03425e0c3"),
        (
            kCCPRFHmacAlgSHA256, "passwd", "salt", 1,
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"
        ),
    ]

    @Test("derived keys are those of the RFCs") func standards() {
        for (function, password, salt, rounds, key) in Self.answers {
            let outcome = derive(function, Array(password.utf8), Array(salt.utf8), rounds, key.count / 2)
            #expect(outcome.status == kCCSuccess)
            #expect(hexadecimal(outcome.key) == key)
        }
    }

    @Test("derived keys of every function and length are those of Python's hashlib") func others() throws {
        let names = ["sha1", "sha224", "sha256", "sha384", "sha512"]
        let counts = [1, 16, 20, 21, 32, 64, 65, 200]
        let passwords = [0, 1, 64, 65, 128, 129, 300]
        let theirs = try python(
            """
            import hashlib
            for name in \(names):
                for count in \(counts):
                    for length in \(passwords):
                        print(hashlib.pbkdf2_hmac(name, b"p" * length, b"s" * (length // 2), 3, count).hex())
            """)
        let ours = (1...5).flatMap { function in
            counts.flatMap { count in
                passwords.map { length in
                    hexadecimal(
                        derive(
                            function, [UInt8](repeating: UInt8(ascii: "p"), count: length),
                            [UInt8](repeating: UInt8(ascii: "s"), count: length / 2), 3, count
                        ).key)
                }
            }
        }
        #expect(ours == theirs)
    }

    @Test("wrong arguments are kCCParamError, and nothing is written") func badInput() {
        let (password, salt): ([CChar], [UInt8]) = ([1, 2, 3], [1, 2, 3])
        let (pbkdf2, sha1) = (CCPBKDFAlgorithm(kCCPBKDF2), CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA1))
        var key = [UInt8](repeating: 0xEE, count: 20)
        let wrong = CInt(kCCParamError)
        #expect(CCKeyDerivationPBKDF(0, password, 3, salt, 3, sha1, 1, &key, 20) == wrong)
        #expect(CCKeyDerivationPBKDF(3, password, 3, salt, 3, sha1, 1, &key, 20) == wrong)
        for function: UInt32 in [0, 6, .max] {
            #expect(CCKeyDerivationPBKDF(pbkdf2, password, 3, salt, 3, function, 1, &key, 20) == wrong)
        }
        #expect(CCKeyDerivationPBKDF(pbkdf2, nil, 0, salt, 3, sha1, 1, &key, 20) == wrong)
        #expect(CCKeyDerivationPBKDF(pbkdf2, password, 3, nil, 3, sha1, 1, &key, 20) == wrong)
        #expect(CCKeyDerivationPBKDF(pbkdf2, password, 3, salt, 3, sha1, 0, &key, 20) == wrong)
        #expect(CCKeyDerivationPBKDF(pbkdf2, password, 3, salt, 3, sha1, 1, nil, 20) == wrong)
        #expect(CCKeyDerivationPBKDF(pbkdf2, password, 3, salt, 3, sha1, 1, &key, 0) == wrong)
        for (passwordCount, saltCount, keyCount) in [(-1, 3, 20), (3, -1, 20), (3, 3, -1), (3, 3, .max)] {
            #expect(
                CCKeyDerivationPBKDF(pbkdf2, password, passwordCount, salt, saltCount, sha1, 1, &key, keyCount) == wrong
            )
        }
        #expect(key == [UInt8](repeating: 0xEE, count: 20))
        // No salt may be null; the most rounds there are would be too long to wait for.
        #expect(CCKeyDerivationPBKDF(pbkdf2, password, 0, nil, 0, sha1, 1, &key, 20) == kCCSuccess)
    }

    @Test("calibration answers no fewer than 10000 rounds, and refuses what cannot be derived") func calibration() {
        let (pbkdf2, sha256) = (CCPBKDFAlgorithm(kCCPBKDF2), CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256))
        #expect(CCCalibratePBKDF(pbkdf2, 8, 8, sha256, 32, 0) == 10_000)
        #expect(CCCalibratePBKDF(pbkdf2, 0, 0, sha256, 32, 0) == 10_000)
        #expect(CCCalibratePBKDF(pbkdf2, .max, 132, sha256, .max, 1000) == 10_000, "a key that takes for ever")
        #expect(CCCalibratePBKDF(pbkdf2, 8, 8, sha256, 32, .max) == UInt32(Int32.max), "seven weeks of rounds")
        #expect(CCCalibratePBKDF(pbkdf2, 8, 8, sha256, 0, 100) == .max)
        #expect(CCCalibratePBKDF(pbkdf2, 8, 133, sha256, 32, 100) == .max)
        #expect(CCCalibratePBKDF(pbkdf2, 8, 8, 0, 32, 100) == .max)
        #expect(CCCalibratePBKDF(pbkdf2, 8, 8, 6, 32, 100) == .max)
        #expect(CCCalibratePBKDF(1, 8, 8, sha256, 32, 100) == .max)
        #expect(CCCalibratePBKDF(pbkdf2, -1, 8, sha256, 32, 100) == .max)
        #expect(CCCalibratePBKDF(pbkdf2, 8, -1, sha256, 32, 100) == .max)
    }

    @Test("the rounds are in proportion to the time, and shared by the blocks of the key") func proportion() {
        func rounds(_ milliseconds: UInt32, blocks: Int = 1, _ measured: UInt32 = 50_000) -> UInt32 {
            Calibration.rounds(for: milliseconds, blocks: blocks, measured: measured, taking: .milliseconds(25))
        }
        #expect(rounds(100) == 200_000)
        #expect(rounds(100, blocks: 2) == 100_000)
        #expect(rounds(100, 25_000) == 100_000)
        #expect(rounds(1) == 10_000)
        #expect(rounds(.max) == UInt32(Int32.max))
        #expect(Calibration.rounds(for: 100, blocks: 1, measured: 1, taking: .zero) == 10_000)
    }

    private func derive(
        _ function: Int, _ password: [UInt8], _ salt: [UInt8], _ rounds: UInt32, _ count: Int
    ) -> (status: CInt, key: [UInt8]) {
        var key = [UInt8](repeating: 0xEE, count: count + 1)
        let status = CCKeyDerivationPBKDF(
            CCPBKDFAlgorithm(kCCPBKDF2), password.map { CChar(bitPattern: $0) }, password.count, salt, salt.count,
            CCPseudoRandomAlgorithm(function), rounds, &key, count)
        return (status, key.removeLast() == 0xEE ? key : [])
    }
}
