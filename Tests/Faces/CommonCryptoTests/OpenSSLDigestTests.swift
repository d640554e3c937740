import CommonCrypto
import LatchkeyTestSupport
import Testing

/// Digests, codes and keys from passwords against the openssl command.
@Suite struct OpenSSLDigestTests {
    private static let lengths = Array(0...100) + [111, 112, 127, 128, 129, 255, 256, 1000, 65_537]

    struct Digest: CustomTestStringConvertible, Sendable {
        /// openssl's name.
        let name: String
        let digest: @Sendable ([UInt8]) -> [UInt8]
        var testDescription: String { name }
    }

    static let digests: [Digest] =
        CAVPDigestTests.allDigests.map { Digest(name: $0.name.lowercased(), digest: $0.digest) }
        + [
            Digest(name: "md5") { CAVPDigestTests.oneShot($0, CC_MD5_DIGEST_LENGTH, CC_MD5) },
            Digest(name: "md4") { CAVPDigestTests.oneShot($0, CC_MD4_DIGEST_LENGTH, CC_MD4) },
        ]

    @Test("digests of messages of every length are openssl's", arguments: digests)
    func digest(_ digest: Digest) throws {
        let messages = Self.messages(digest.name)
        let answers = try Self.answers(["-\(digest.name)"], messages)
        for (message, answer) in zip(messages, answers) {
            #expect(digest.digest(message) == answer, "\(message.count) bytes")
        }
    }

    static let codeAlgorithms = [
        ("md5", kCCHmacAlgMD5, 16), ("sha1", kCCHmacAlgSHA1, 20), ("sha224", kCCHmacAlgSHA224, 28),
        ("sha256", kCCHmacAlgSHA256, 32), ("sha384", kCCHmacAlgSHA384, 48), ("sha512", kCCHmacAlgSHA512, 64),
    ]

    @Test("codes under keys shorter and longer than a block are openssl's", arguments: codeAlgorithms, [1, 64, 200])
    func code(_ algorithm: (name: String, number: Int, length: Int), _ keyLength: Int) throws {
        var random = SeededBytes("hmac \(algorithm.name) \(keyLength)")
        let key = random.bytes(keyLength)
        let messages = Self.messages("code \(algorithm.name)")
        let answers = try Self.answers(
            ["-\(algorithm.name)", "-mac", "HMAC", "-macopt", "hexkey:\(Hex(key).text)"], messages)
        for (message, answer) in zip(messages, answers) {
            let (number, length) = (algorithm.number, algorithm.length)
            #expect(MACCall.code(number, key: key, message, length: length) == answer, "\(message.count) bytes")
            #expect(MACCall.codeInPieces(number, key: key, message, length: length) == answer, "\(message.count) bytes")
        }
    }

    static let functions = [
        ("SHA1", kCCPRFHmacAlgSHA1), ("SHA224", kCCPRFHmacAlgSHA224), ("SHA256", kCCPRFHmacAlgSHA256),
        ("SHA384", kCCPRFHmacAlgSHA384), ("SHA512", kCCPRFHmacAlgSHA512),
    ]

    @Test("keys from passwords are openssl's", arguments: functions, [(1, 16, 1), (200, 9, 100), (17, 1, 777)])
    func passwords(
        _ function: (name: String, number: Int), _ lengths: (password: Int, salt: Int, rounds: Int)
    ) throws {
        var random = SeededBytes("pbkdf2 \(function.name) \(lengths)")
        let (password, salt) = (random.bytes(lengths.password), random.bytes(lengths.salt))
        // Not a multiple of any digest's length.
        let derived = GuardedBytes(count: 101)
        let (given, salted) = (GuardedBytes(password), GuardedBytes(salt))
        let status = CCKeyDerivationPBKDF(
            CCPBKDFAlgorithm(kCCPBKDF2), given.start.assumingMemoryBound(to: CChar.self), password.count,
            salted.start.assumingMemoryBound(to: UInt8.self), salt.count, CCPseudoRandomAlgorithm(function.number),
            UInt32(lengths.rounds), derived.start.assumingMemoryBound(to: UInt8.self), 101)
        #expect(status == kCCSuccess)
        // openssl's own checks are for passwords of people: these are short on purpose.
        let answer = try OpenSSL.run([
            "kdf", "-keylen", "101", "-binary", "-kdfopt", "digest:\(function.name)", "-kdfopt",
            "hexpass:\(Hex(password).text)", "-kdfopt", "hexsalt:\(Hex(salt).text)", "-kdfopt",
            "iter:\(lengths.rounds)", "-kdfopt", "pkcs5:1", "PBKDF2",
        ])
        #expect(derived.contents(101) == answer)
    }

    private static func messages(_ name: String) -> [[UInt8]] {
        var random = SeededBytes(name)
        return lengths.map { random.bytes($0) }
    }

    /// One process for all messages: openssl takes any number of files.
    private static func answers(_ options: [String], _ messages: [[UInt8]]) throws -> [[UInt8]] {
        let directory = try Program.Directory()
        defer { directory.remove() }
        let files = try messages.enumerated().map { try directory.file("\($0.offset)", $0.element) }
        let output = try OpenSSL.run(
            ["dgst", "-provider", "legacy", "-provider", "default", "-r"] + options + files)
        // A line is the digest, a space, a star and the path.
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        try #require(lines.count == messages.count)
        return try lines.map { line in try #require(line.split(separator: " ").first.flatMap { Hex($0) }).bytes }
    }
}
