import CommonCrypto
import Foundation
import LatchkeyTestSupport
import Testing

@Suite struct DigestTests {
    /// Answers of RFC 1319, RFC 1320, RFC 1321 and FIPS 180-4.
    static let answers: [(digest: String, message: String, answer: String)] = [
        ("MD2", "", "8350e5a3e24c153df2275c9f80692773"),
        ("MD2", "a", "32ec01ec4a6dac72c0ab96fb34c0b5d1"),
        ("MD2", "abc", "da853b0d3f88d99b30283a69e6ded6bb"),
        ("MD2", "message digest", "ab4f496bfb2a530b219ff33031fe06b0"),
        ("MD2", "abcdefghijklmnopqrstuvwxyz", "4e8ddff3650292ab5a4108c3aa47940b"),
        (
            "MD2", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "da33def2a42df13975352846c30338cd"
        ),
        (
            "MD2", "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "d5976f79d83d3a0dc9806c3c66f3efd8"
        ),
        ("MD4", "", "31d6cfe0d16ae931b73c59d7e0c089c0"),
        ("MD4", "a", "bde52cb31de33e46245e05fbdbd6fb24"),
        ("MD4", "abc", "a448017aaf21d8525fc10ae87aa6729d"),
        ("MD4", "message digest", "d9130a8164549fe818874806e1c7014b"),
        ("MD4", "abcdefghijklmnopqrstuvwxyz", "d79e1c308aa5bbcdeea8ed63df412da9"),
        (
            "MD4", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "043f8582f241db351ce627e153e7f0e4"
        ),
        (
            "MD4", "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "e33b4ddc9c38f2199c3e7b164fcc0536"
        ),
        ("MD5", "", "d41d8cd98f00b204e9800998ecf8427e"),
        ("MD5", "message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("SHA1", "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "SHA1", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
        ("SHA224", "abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
        ("SHA256", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "SHA384", "abc",
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        ),
        (
            "SHA512", "abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
    ]

    @Test("digests are those of their standards") func standards() throws {
        for (name, message, answer) in Self.answers {
            let digest = try DigestFunctions.named(name).digest(Array(message.utf8))
            #expect(hexadecimal(digest) == answer, "\(name) of \"\(message)\" (MD2 needs Debian's libnettle8)")
        }
    }

    @Test("digests of messages up to several blocks are those of Python's hashlib") func others() throws {
        let names = ["MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512"]
        let script = """
            import hashlib
            message = bytes(i * 7 % 256 for i in range(400))
            for name in "\(names.joined(separator: " ").lowercased())".split():
                for count in range(400):
                    print(hashlib.new(name, message[:count]).hexdigest())
            """
        let theirs = try python(script)
        var ours: [String] = []
        for name in names {
            let functions = try DigestFunctions.named(name)
            ours += (0..<400).map { hexadecimal(functions.digest(message($0))) }
        }
        #expect(ours == theirs)
    }

    @Test("a message in two pieces has the digest of the whole, wherever it is cut", arguments: DigestFunctions.all)
    func pieces(_ functions: DigestFunctions) {
        for count in [0, 1, functions.blockByteCount, 2 * functions.blockByteCount + 17] {
            let message = message(count)
            let whole = functions.digest(message)
            #expect(whole.count == functions.byteCount)
            for cut in 0...count {
                let outcome = functions.digestOfPieces([message[..<cut], message[cut...]])
                #expect(outcome.digest == whole, "\(count) bytes cut at \(cut)")
                #expect(outcome.answers == [1])
            }
            let single = functions.digestOfPieces(message.indices.map { message[$0...$0] })
            #expect(single.digest == whole, "\(count) single bytes")
        }
    }

    @Test("a running digest may be copied, and each copy goes its own way", arguments: DigestFunctions.all)
    func copies(_ functions: DigestFunctions) {
        for count in [0, 1, functions.blockByteCount - 1, functions.blockByteCount, functions.blockByteCount + 1] {
            let beginning = message(count)
            let (one, other) = (Array("one way".utf8), Array("another way, and a longer one".utf8))
            #expect(
                functions.fork(beginning, one, other) == [
                    functions.digest(beginning + one), functions.digest(beginning + other),
                ])
        }
    }

    @Test("a digest may be written over its context", arguments: DigestFunctions.all)
    func overContext(_ functions: DigestFunctions) {
        let message = message(functions.blockByteCount + 1)
        #expect(functions.digestOverContext(message) == functions.digest(message))
    }

    @Test("null pointers are answered and never followed", arguments: DigestFunctions.all)
    func nothing(_ functions: DigestFunctions) {
        #expect(
            functions.answersToNothing() == [
                "init of null": 0, "update of null": 0, "final of null": 0, "one-shot into null": 0,
                "one-shot of null": 0, "update with null": 1, "final into null": 1, "bytes written": 0,
            ])
    }

    @Test("a null pointer of no bytes is an empty message") func emptiness() {
        var output = [UInt8](repeating: 0, count: 32)
        #expect(CC_SHA256(nil, 0, &output) != nil)
        #expect(hexadecimal(output) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test("SHA-224 and SHA-384 are told from SHA-256 and SHA-512 by their first and last calls alone")
    func sharedContexts() throws {
        var short = CC_SHA256_CTX()
        var long = CC_SHA512_CTX()
        var output = [UInt8](repeating: 0, count: 64)
        CC_SHA224_Init(&short)
        CC_SHA256_Update(&short, "abc", 3)
        CC_SHA224_Final(&output, &short)
        #expect(Array(output.prefix(28)) == (try DigestFunctions.named("SHA224").digest(Array("abc".utf8))))
        CC_SHA384_Init(&long)
        CC_SHA512_Update(&long, "abc", 3)
        CC_SHA384_Final(&output, &long)
        #expect(Array(output.prefix(48)) == (try DigestFunctions.named("SHA384").digest(Array("abc".utf8))))
    }

    @Test("a digest goes on beyond 2^32 bits") func manyBytes() {
        var context = CC_SHA256_CTX()
        var others = CC_SHA1_CTX()
        CC_SHA256_Init(&context)
        CC_SHA1_Init(&others)
        let zeros = [UInt8](repeating: 0, count: 1 << 24)
        // 512 MiB and one byte.
        for _ in 0..<32 {
            CC_SHA256_Update(&context, zeros, CC_LONG(zeros.count))
            CC_SHA1_Update(&others, zeros, CC_LONG(zeros.count))
        }
        CC_SHA256_Update(&context, zeros, 1)
        CC_SHA1_Update(&others, zeros, 1)
        var output = [UInt8](repeating: 0, count: 32)
        CC_SHA256_Final(&output, &context)
        #expect(hexadecimal(output) == "7c40fe5ce847740d0f0d0cdde3949d6585804cdec3ae61a15b923165699c8137")
        CC_SHA1_Final(&output, &others)
        #expect(hexadecimal(output.prefix(20)) == "3e1bb536d18494c32e66ef9f479d65bbe0d863de")
    }

    @Test("a context that says nonsense about itself is not followed out of its memory") func nonsense() {
        var output = [UInt8](repeating: 0, count: 64)
        for filler: UInt8 in [0x40, 0x7F, 0xFF] {
            var md2 = CC_MD2_CTX()
            var md4 = CC_MD4_CTX()
            var md5 = CC_MD5_CTX()
            var sha1 = CC_SHA1_CTX()
            fill(&md2, with: filler)
            fill(&md4, with: filler)
            fill(&md5, with: filler)
            fill(&sha1, with: filler)
            let message = message(200)
            #expect(CC_MD2_Update(&md2, message, 200) == 1 && CC_MD2_Final(&output, &md2) == 1)
            #expect(CC_MD4_Update(&md4, message, 200) == 1 && CC_MD4_Final(&output, &md4) == 1)
            #expect(CC_MD5_Update(&md5, message, 200) == 1 && CC_MD5_Final(&output, &md5) == 1)
            #expect(CC_SHA1_Update(&sha1, message, 200) == 1 && CC_SHA1_Final(&output, &sha1) == 1)
        }
    }

    @Test("a finished context holds nothing of the message") func wiping() {
        var context = CC_SHA256_CTX()
        var output = [UInt8](repeating: 0, count: 32)
        CC_SHA256_Init(&context)
        CC_SHA256_Update(&context, "secret", 6)
        #expect(withUnsafeBytes(of: context) { $0.contains(UInt8(ascii: "s")) })
        CC_SHA256_Final(&output, &context)
        #expect(withUnsafeBytes(of: context) { $0.allSatisfy { $0 == 0 } })
    }

    private func fill(_ context: inout some BitwiseCopyable, with filler: UInt8) {
        withUnsafeMutableBytes(of: &context) { bytes in
            for index in bytes.indices { bytes[index] = filler }
        }
    }

    private func message(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8($0 * 7 % 256) }
    }
}
