import CommonCrypto
import LatchkeyTestSupport
import Testing

/// CommonCrypto against the openssl command, with seeded keys: each reads what the other wrote.
@Suite struct OpenSSLCipherTests {
    struct Cipher: CustomTestStringConvertible, Sendable {
        /// openssl's name.
        let name: String
        let algorithm: Int
        let mode: Int
        let keyLength: Int
        let blockLength: Int
        var testDescription: String { name }

        var isBlockwise: Bool { mode == kCCModeECB || mode == kCCModeCBC }
    }

    private static let modes = [
        ("ecb", kCCModeECB), ("cbc", kCCModeCBC), ("cfb", kCCModeCFB), ("cfb8", kCCModeCFB8), ("ofb", kCCModeOFB),
        ("ctr", kCCModeCTR),
    ]

    private static func ciphers(
        _ name: String, _ algorithm: Int, keyLength: Int, blockLength: Int = 8, without: [String] = []
    ) -> [Cipher] {
        modes.filter { !without.contains($0.0) }.map { suffix, mode in
            Cipher(
                name: "\(name)-\(suffix)", algorithm: algorithm, mode: mode, keyLength: keyLength,
                blockLength: blockLength)
        }
    }

    static let all: [Cipher] =
        [16, 24, 32].flatMap { ciphers("aes-\($0 * 8)", kCCAlgorithmAES, keyLength: $0, blockLength: 16) }
        + ciphers("des", kCCAlgorithmDES, keyLength: 8, without: ["ctr"])
        + ciphers("des-ede3", kCCAlgorithm3DES, keyLength: 24, without: ["ctr"])
        + ciphers("cast5", kCCAlgorithmCAST, keyLength: 16, without: ["ctr", "cfb8"])
        + ciphers("bf", kCCAlgorithmBlowfish, keyLength: 16, without: ["ctr", "cfb8"])
        + ciphers("rc2", kCCAlgorithmRC2, keyLength: 16, without: ["ctr", "cfb8"])
        + [
            Cipher(name: "rc2-40-cbc", algorithm: kCCAlgorithmRC2, mode: kCCModeCBC, keyLength: 5, blockLength: 8),
            Cipher(name: "rc2-64-cbc", algorithm: kCCAlgorithmRC2, mode: kCCModeCBC, keyLength: 8, blockLength: 8),
            Cipher(name: "rc4", algorithm: kCCAlgorithmRC4, mode: kCCModeRC4, keyLength: 16, blockLength: 1),
            Cipher(name: "rc4-40", algorithm: kCCAlgorithmRC4, mode: kCCModeRC4, keyLength: 5, blockLength: 1),
        ]

    @Test("every prefix of a long message is what openssl makes of it, at once and in pieces", arguments: all)
    func unpadded(_ cipher: Cipher) throws {
        var random = SeededBytes(cipher.name)
        let call = Self.call(cipher, &random)
        let message = random.bytes(6400)
        let answer = try Self.openssl(cipher, call, ["-e", "-nopad"], message)
        let backward = try Self.openssl(cipher, call, ["-d", "-nopad"], message)
        // A beginning of the message gives the beginning of the answer in all of these modes.
        for length in stride(from: 0, through: 100, by: cipher.isBlockwise ? cipher.blockLength : 1) + [4096, 6400] {
            #expect(try call.encrypt(Array(message.prefix(length))) == Array(answer.prefix(length)), "\(length) bytes")
            #expect(
                try call.decrypt(Array(message.prefix(length))) == Array(backward.prefix(length)), "\(length) bytes")
        }
        for _ in 0..<5 {
            let pieces = random.pieces(of: message.count)
            #expect(try call.encrypt(message, pieces: pieces) == answer, "\(pieces)")
            #expect(try call.decrypt(message, pieces: pieces) == backward, "\(pieces)")
        }
        guard cipher.isBlockwise || cipher.mode == kCCModeRC4 else { return }
        #expect(try call.oneShot(kCCEncrypt, message) == answer)
        #expect(try call.oneShot(kCCDecrypt, message) == backward)
    }

    @Test(
        "a padded message of any length is openssl's, and openssl reads it",
        arguments: all.filter(\.isBlockwise))
    func padded(_ cipher: Cipher) throws {
        var random = SeededBytes(cipher.name + " padded")
        var call = Self.call(cipher, &random)
        call.padding = ccPKCS7Padding
        let message = random.bytes(1000)
        let block = cipher.blockLength
        // Asked for few lengths: each is a process.
        for length in [0, block - 1, 3 * block, 1000 - 1] {
            let text = Array(message.prefix(length))
            let answer = try Self.openssl(cipher, call, ["-e"], text)
            #expect(try call.encrypt(text, pieces: random.pieces(of: length)) == answer, "\(length) bytes")
            #expect(try call.oneShot(kCCEncrypt, text) == answer, "\(length) bytes")
            #expect(try call.decrypt(answer, pieces: random.pieces(of: answer.count)) == text, "\(length) bytes")
            #expect(try call.oneShot(kCCDecrypt, answer) == text, "\(length) bytes")
        }
        // The others go through both directions of CommonCrypto.
        for length in 0...100 {
            let text = Array(message.prefix(length))
            let sealed = try call.oneShot(kCCEncrypt, text)
            #expect(sealed.count == (length / block + 1) * block)
            #expect(try call.encrypt(text, pieces: random.pieces(of: length)) == sealed, "\(length) bytes")
            #expect(try call.decrypt(sealed, pieces: random.pieces(of: sealed.count)) == text, "\(length) bytes")
        }
        let long = random.bytes(70_001)
        #expect(try Self.openssl(cipher, call, ["-d"], call.oneShot(kCCEncrypt, long)) == long)
    }

    private static func call(_ cipher: Cipher, _ random: inout SeededBytes) -> CipherCall {
        CipherCall(
            algorithm: cipher.algorithm, mode: cipher.mode, key: random.bytes(cipher.keyLength),
            iv: cipher.mode == kCCModeECB || cipher.mode == kCCModeRC4 ? nil : random.bytes(cipher.blockLength))
    }

    private static func openssl(
        _ cipher: Cipher, _ call: CipherCall, _ options: [String], _ input: [UInt8]
    ) throws -> [UInt8] {
        let iv = call.iv.map { ["-iv", Hex($0).text] } ?? []
        // The key of DES in all modes but that of no mode at all is that of three.
        let name = cipher.name == "des-ede3-ecb" ? "des-ede3" : cipher.name
        return try OpenSSL.run(
            ["enc", "-\(name)", "-provider", "legacy", "-provider", "default", "-K", Hex(call.key).text] + iv + options,
            input: input)
    }

    @Test("wrapped keys are openssl's", arguments: [16, 24, 32]) func keyWrap(_ keyLength: Int) throws {
        var random = SeededBytes("wrap \(keyLength)")
        let (key, raw) = (random.bytes(keyLength), random.bytes(40))
        let answer = try OpenSSL.run(
            ["enc", "-e", "-id-aes\(keyLength * 8)-wrap", "-K", Hex(key).text, "-iv", "A6A6A6A6A6A6A6A6"], input: raw)
        #expect(try KeyWrapCall.wrap(raw, under: key) == answer)
        #expect(try KeyWrapCall.unwrap(answer, under: key) == raw)
    }
}
