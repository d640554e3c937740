import CommonCrypto
import CommonCryptoSPI
import Glibc
import LatchkeyCryptoMisuse
import LatchkeyTestSupport
import Synchronization
import Testing

/// The uses of ciphers that a watching process hears of.
@Suite struct CryptorWatchTests {
    /// Hears what its own thread does: tests run side by side.
    private final class Listener: CryptoListener {
        private let heard = Mutex<[String]>([])
        private let thread = pthread_self()

        func hear(_ use: ObservedUse) {
            guard pthread_equal(thread, pthread_self()) != 0 else { return }
            let text =
                switch use {
                case .cipherStarts(let use, _):
                    "\(use.isEncrypting ? "encrypts" : "decrypts") \(use.cipher) \(use.mode) with "
                        + "\(use.key.count) bytes and \(use.iv.map { "\($0.count)" } ?? "none")"
                        + (use.hasEqualKeys ? ", twice" : "")
                case .cipherTakes(let bytes, _): "takes \(Hex(Array(bytes)).text)"
                case .cipherGives(let bytes, _): "gives \(Hex(Array(bytes)).text)"
                case .cipherEnds: "ends"
                case .authenticated(let tag, _): "tag of \(tag.count)"
                case .codeStarts(let key): "code with \(key.count) bytes"
                case .digests(let bytes, _): "digests \(Hex(Array(bytes)).text)"
                case .digested(let use, _): "\(use.digest) of \(use.result.count)"
                case .authenticates(let bytes, _): "authenticates \(Hex(Array(bytes)).text)"
                case .derives(let use): "derives \(use.function) \(use.rounds) rounds, salt of \(use.salt.count)"
                }
            heard.withLock { $0.append(text) }
        }

        var texts: [String] { heard.withLock(\.self) }
    }

    private static let key = TestedCipher.bytes(16)

    private static func listening(_ body: () throws -> Void) rethrows -> [String] {
        let listener = Listener()
        let number = CryptoWatch.listen(listener)
        defer { CryptoWatch.forget(number) }
        try body()
        return listener.texts
    }

    @Test("one call: what goes in, and what comes out where the two lie in the same memory")
    func oneShot() throws {
        let plain = TestedCipher.bytes(16)
        let ciphertext = try CipherCall(padding: ccPKCS7Padding, key: Self.key).encrypt(plain)
        var (memory, moved) = (plain + plain, 0)
        let heard = Self.listening {
            memory.withUnsafeMutableBytes {
                _ = CCCrypt(0, 0, 1, Self.key, 16, nil, $0.baseAddress, 16, $0.baseAddress, 32, &moved)
            }
        }
        #expect(
            heard == [
                "encrypts aes cbc with 16 bytes and none", "takes \(Hex(plain).text)", "gives \(Hex(ciphertext).text)",
                "ends",
            ])
    }

    @Test("a call that only asks for the room does not use a key; one with a key that is too short is")
    func refusals() {
        var moved = 0
        let input = TestedCipher.bytes(16)
        #expect(Self.listening { _ = CCCrypt(0, 0, 0, Self.key, 16, nil, input, 16, nil, 0, &moved) }.isEmpty)
        #expect(moved == 16)
        let short = Self.listening { _ = CCCrypt(0, 0, 0, Self.key, 9, nil, input, 16, nil, 0, &moved) }
        #expect(short == ["encrypts aes cbc with 9 bytes and none", "ends"])
        var cryptor: CCCryptorRef?
        let created = Self.listening {
            _ = CCCryptorCreate(1, CCAlgorithm(kCCAlgorithmDES), 2, input, 9, input, &cryptor)
        }
        #expect(created == ["decrypts des ecb with 9 bytes and none", "ends"])
    }

    @Test("a key of a length that is refused is not read")
    func refusedLength() {
        // As long as it is, and not as long as it is said to be.
        let key = GuardedBytes([1, 2, 3, 4])
        for count in [300, 9, Int.max, Int.min, -1] {
            var cryptor: CCCryptorRef?
            let heard = Self.listening {
                #expect(CCCrypt(0, 0, 0, key.start, count, nil, nil, 0, nil, 0, nil) == kCCKeySizeError)
                #expect(CCCryptorCreate(0, 0, 0, key.start, count, nil, &cryptor) == kCCKeySizeError)
            }
            let told = min(max(count, 0), 512)
            #expect(heard == ["encrypts aes cbc with \(told) bytes and none", "ends"] + heard.prefix(2))
        }
    }

    @Test("units of a disk: what goes in and comes out, in the direction of each")
    func units() throws {
        let plain = TestedCipher.bytes(16)
        for (mode, tweak) in [(kCCModeXTS, TestedCipher.bytes(16, from: 90)), (kCCModeECB, [])] {
            let call = CipherCall(mode: mode, key: Self.key, tweak: tweak)
            let iv = mode == kCCModeXTS ? plain : nil
            var output = plain
            let heard = try Self.listening {
                try call.withCryptor(kCCBoth) { cryptor in
                    #expect(CCCryptorDecryptDataBlock(cryptor, iv, plain, 16, &output) == kCCSuccess)
                    #expect(CCCryptorEncryptDataBlock(cryptor, iv, output, 16, &output) == kCCSuccess)
                    #expect(CCCryptorEncryptDataBlock(cryptor, iv, output, 16, nil) == kCCParamError)
                }
            }
            #expect(output == plain)
            let name = mode == kCCModeXTS ? "xts" : "ecb"
            let text = Hex(plain).text
            #expect(heard.first == "decrypts aes \(name) with 16 bytes and none" && heard.count == 7)
            #expect(heard[1] == "takes \(text)" && heard[2].hasPrefix("gives "))
            #expect(heard[3] == "encrypts aes \(name) with 16 bytes and none")
            #expect(heard[4] == heard[2].replacing("gives", with: "takes") && heard[5] == "gives \(text)")
            #expect(heard[6] == "ends")
        }
    }

    @Test("of a CBC for both directions the one is told that it was said to have")
    func chainedUnits() throws {
        let plain = TestedCipher.bytes(16)
        let heard = try Self.listening {
            try CipherCall(key: Self.key, iv: plain).withCryptor(kCCBoth) { cryptor in
                var output = plain
                #expect(CCCryptorEncryptDataBlock(cryptor, nil, plain, 16, &output) == kCCSuccess)
                #expect(CCCryptorDecryptDataBlock(cryptor, nil, output, 16, &output) == kCCSuccess)
                #expect(output == plain)
            }
        }
        #expect(heard.count == 4)
        #expect(heard.first == "decrypts aes cbc with 16 bytes and 16" && heard[2] == "gives \(Hex(plain).text)")
    }

    @Test("AES-CMAC is an authentication code, and PBKDF2 by parameters a key from a password")
    func codesAndKeys() {
        var output = [UInt8](repeating: 0, count: 16)
        #expect(
            Self.listening { CCAESCmac(Self.key, [1, 2], 2, &output) }
                == ["code with 16 bytes", "authenticates 0102", "tag of 16"])
        let salt = TestedCipher.bytes(5)
        let heard = Self.listening {
            for digest in [kCCDigestSHA512, kCCDigestMD5] {
                let (number, kind) = (CCDigestAlgorithm(digest), CCKDFAlgorithm(kCCKDFAlgorithmPBKDF2_HMAC))
                let status = CCKeyDerivationHMac(
                    kind, number, 3, "key", 3, nil, 0, nil, 0, nil, 0, salt, 5, &output, 16)
                #expect(status == kCCSuccess)
            }
        }
        #expect(heard == ["derives sha512 3 rounds, salt of 5"])
    }

    @Test("broken digests: what goes in and what comes out, at once, in pieces and by number")
    func brokenDigests() {
        var output = [UInt8](repeating: 0, count: 64)
        let heard = Self.listening {
            _ = CC_MD5([1, 2] as [UInt8], 2, &output)
            var context = CC_SHA1_CTX()
            CC_SHA1_Init(&context)
            CC_SHA1_Update(&context, [3], 1)
            CC_SHA1_Final(&output, &context)
            _ = CCDigest(CCDigestAlgorithm(kCCDigestMD4), [4], 1, &output)
            _ = CC_SHA256([5], 1, &output)
            _ = CCDigest(CCDigestAlgorithm(kCCDigestSHA512), [6], 1, &output)
        }
        #expect(heard == ["digests 0102", "md5 of 16", "digests 03", "sha1 of 20", "digests 04", "md4 of 16"])
    }

    @Test("codes tell their key, and XTS whether its keys are the same")
    func keys() throws {
        var output = [UInt8](repeating: 0, count: 32)
        let heard = try Self.listening {
            CCHmac(CCHmacAlgorithm(kCCHmacAlgSHA256), Self.key, 16, [1], 1, &output)
            var context = CCHmacContext()
            CCHmacInit(&context, CCHmacAlgorithm(kCCHmacAlgSHA256), Self.key, 16)
            for tweak in [Self.key, TestedCipher.bytes(16, from: 90)] {
                try CipherCall(mode: kCCModeXTS, key: Self.key, tweak: tweak).withCryptor(kCCEncrypt) { _ in }
            }
        }
        #expect(
            heard == [
                "code with 16 bytes", "authenticates 01", "tag of 32", "code with 16 bytes",
                "encrypts aes xts with 16 bytes and none, twice", "ends",
                "encrypts aes xts with 16 bytes and none", "ends",
            ])
    }

    @Test("in pieces: a piece without room is not heard, and a reset starts again")
    func pieces() throws {
        let piece = TestedCipher.bytes(5)
        let heard = try Self.listening {
            try CipherCall(mode: kCCModeCTR, key: Self.key, iv: Self.key).withCryptor(kCCDecrypt) { cryptor in
                var (output, moved) = ([UInt8](repeating: 0, count: 5), 0)
                CCCryptorUpdate(cryptor, piece, 5, &output, 4, &moved)
                CCCryptorUpdate(cryptor, piece, 5, &output, 5, &moved)
                CCCryptorReset(cryptor, nil)
                CCCryptorFinal(cryptor, nil, 0, &moved)
            }
        }
        #expect(heard.count == 6)
        #expect(heard.filter { $0.hasPrefix("decrypts aes ctr with 16 bytes") }.count == 2)
        #expect(heard.first?.hasSuffix("and 16") == true && heard[3].hasSuffix("and none"))
        #expect(heard[1] == "takes \(Hex(piece).text)" && heard[2].hasPrefix("gives "))
        #expect(heard.suffix(2) == ["ends", "ends"])
    }

    @Test("GCM starts when its vector is known, and gives its tag")
    func gcm() throws {
        let call = GCMCall(key: Self.key, iv: TestedCipher.bytes(12), associated: [])
        let heard = try Self.listening { _ = try call.seal([1, 2, 3]) }
        #expect(heard.first == "encrypts aes gcm with 16 bytes and 12")
        #expect(heard.dropFirst().first == "takes 010203")
        #expect(heard.suffix(3) == ["tag of 16", "ends", "ends"])
        #expect(heard.count == 6)
    }

    @Test("no listener hears after the last one has gone")
    func silence() throws {
        let listener = Listener()
        CryptoWatch.forget(CryptoWatch.listen(listener))
        _ = try CipherCall(key: Self.key).encrypt(TestedCipher.bytes(32))
        #expect(listener.texts.isEmpty)
    }
}
