import CommonCrypto
import Testing

/// NIST's messages for SHA-1 and SHA-2, those of the RFCs for MD5 and HMAC, and NIST's key wraps.
@Suite struct CAVPDigestTests {
    struct Digest: CustomTestStringConvertible, Sendable {
        let name: String
        let digest: @Sendable ([UInt8]) -> [UInt8]
        let pieces: @Sendable ([ArraySlice<UInt8>]) -> [UInt8]
        /// Vectors of the short and of the long messages.
        let counts: [Int]
        var testDescription: String { name }
    }

    static let allDigests = [
        Digest(
            name: "SHA1",
            digest: { oneShot($0, CC_SHA1_DIGEST_LENGTH, CC_SHA1) },
            pieces: { inPieces($0, CC_SHA1_CTX(), CC_SHA1_DIGEST_LENGTH, CC_SHA1_Init, CC_SHA1_Update, CC_SHA1_Final) },
            counts: [65, 64]),
        Digest(
            name: "SHA224",
            digest: { oneShot($0, CC_SHA224_DIGEST_LENGTH, CC_SHA224) },
            pieces: {
                inPieces(
                    $0, CC_SHA256_CTX(), CC_SHA224_DIGEST_LENGTH, CC_SHA224_Init, CC_SHA224_Update, CC_SHA224_Final)
            },
            counts: [65, 64]),
        Digest(
            name: "SHA256",
            digest: { oneShot($0, CC_SHA256_DIGEST_LENGTH, CC_SHA256) },
            pieces: {
                inPieces(
                    $0, CC_SHA256_CTX(), CC_SHA256_DIGEST_LENGTH, CC_SHA256_Init, CC_SHA256_Update, CC_SHA256_Final)
            },
            counts: [65, 64]),
        Digest(
            name: "SHA384",
            digest: { oneShot($0, CC_SHA384_DIGEST_LENGTH, CC_SHA384) },
            pieces: {
                inPieces(
                    $0, CC_SHA512_CTX(), CC_SHA384_DIGEST_LENGTH, CC_SHA384_Init, CC_SHA384_Update, CC_SHA384_Final)
            },
            counts: [129, 128]),
        Digest(
            name: "SHA512",
            digest: { oneShot($0, CC_SHA512_DIGEST_LENGTH, CC_SHA512) },
            pieces: {
                inPieces(
                    $0, CC_SHA512_CTX(), CC_SHA512_DIGEST_LENGTH, CC_SHA512_Init, CC_SHA512_Update, CC_SHA512_Final)
            },
            counts: [129, 128]),
    ]

    static func oneShot(
        _ message: [UInt8], _ length: Int32,
        _ function: (UnsafeRawPointer?, CC_LONG, UnsafeMutablePointer<UInt8>?) -> UnsafeMutablePointer<UInt8>?
    ) -> [UInt8] {
        let (input, output) = (GuardedBytes(message), GuardedBytes(count: Int(length)))
        let start = output.bytes.bindMemory(to: UInt8.self).baseAddress
        guard function(input.start, CC_LONG(message.count), start) == start else { return [] }
        return output.contents(Int(length))
    }

    static func inPieces<Context>(
        _ pieces: [ArraySlice<UInt8>], _ context: Context, _ length: Int32,
        _ start: (UnsafeMutablePointer<Context>?) -> Int32,
        _ update: (UnsafeMutablePointer<Context>?, UnsafeRawPointer?, CC_LONG) -> Int32,
        _ end: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Context>?) -> Int32
    ) -> [UInt8] {
        var context = context
        guard start(&context) == 1 else { return [] }
        for piece in pieces {
            // A context may move between two calls.
            var moved = context
            let input = GuardedBytes(Array(piece))
            guard update(&moved, input.start, CC_LONG(piece.count)) == 1 else { return [] }
            context = moved
        }
        let output = GuardedBytes(count: Int(length))
        guard end(output.bytes.bindMemory(to: UInt8.self).baseAddress, &context) == 1 else { return [] }
        return output.contents(Int(length))
    }

    @Test("each digest gives NIST's answers, at once and in pieces", arguments: allDigests)
    func digests(_ digest: Digest) throws {
        let folder = digest.name == "SHA1" ? "SHA1" : "SHA2"
        for (kind, expectedCount) in zip(["Short", "Long"], digest.counts) {
            let records = try CAVPFile("hashes/\(folder)/\(digest.name)\(kind)Msg.rsp").records
                .filter { $0.number("len") != nil }
            for record in records {
                let message = try Self.message(of: record)
                let answer = try #require(try record.bytes("md"))
                #expect(digest.digest(message) == answer, "\(message.count) bytes")
                let cuts = [0, message.count / 3, message.count / 2, message.count]
                let pieces = zip(cuts, cuts.dropFirst()).map { message[$0..<$1] }
                #expect(digest.pieces(pieces) == answer, "\(message.count) bytes")
            }
            #expect(records.count == expectedCount)
        }
    }

    /// A message of no bytes is written as one of a zero.
    private static func message(of record: CAVPFile.Record) throws -> [UInt8] {
        let length = try #require(record.number("len"))
        return Array((try #require(try record.bytes("msg"))).prefix(length / 8))
    }

    @Test("each digest of a digest of a digest gives NIST's answers", arguments: allDigests)
    func monteCarlo(_ digest: Digest) throws {
        let folder = digest.name == "SHA1" ? "SHA1" : "SHA2"
        let records = try CAVPFile("hashes/\(folder)/\(digest.name)Monte.rsp").records
        var seed = try #require(try records.compactMap { try $0.bytes("seed") }.first)
        // 1000 digests each.
        for record in records.filter({ $0.number("count") != nil }).prefix(2) {
            var last = [seed, seed, seed]
            for _ in 0..<1000 {
                last.append(digest.digest(Array(last.joined())))
                last.removeFirst()
            }
            seed = last[2]
            #expect(seed == (try record.bytes("md")))
        }
    }

    @Test("MD5 gives the answers of RFC 1321") func md5() throws {
        let records = try CAVPFile("hashes/MD5/rfc-1321.txt").records
        for record in records {
            let message = try Self.message(of: record)
            let answer = try #require(try record.bytes("md"))
            #expect(Self.oneShot(message, CC_MD5_DIGEST_LENGTH, CC_MD5) == answer)
            let pieces = [message.prefix(5), message.dropFirst(5)]
            #expect(
                Self.inPieces(pieces, CC_MD5_CTX(), CC_MD5_DIGEST_LENGTH, CC_MD5_Init, CC_MD5_Update, CC_MD5_Final)
                    == answer)
        }
        #expect(records.count == 7)
    }

    static let codeFiles: [(String, Int, Int, Int)] = [
        ("rfc-2202-md5", kCCHmacAlgMD5, 16, 7), ("rfc-2202-sha1", kCCHmacAlgSHA1, 20, 7),
        ("rfc-4231-sha224", kCCHmacAlgSHA224, 28, 6), ("rfc-4231-sha256", kCCHmacAlgSHA256, 32, 6),
        ("rfc-4231-sha384", kCCHmacAlgSHA384, 48, 6), ("rfc-4231-sha512", kCCHmacAlgSHA512, 64, 6),
    ]

    @Test("HMAC gives the answers of RFC 2202 and RFC 4231", arguments: codeFiles)
    func codes(_ name: String, _ algorithm: Int, _ length: Int, _ expectedCount: Int) throws {
        let records = try CAVPFile("HMAC/\(name).txt").records
        for record in records {
            let (key, message) = (try #require(try record.bytes("key")), try #require(try record.bytes("msg")))
            let answer = try #require(try record.bytes("md"))
            #expect(MACCall.code(algorithm, key: key, message, length: length).prefix(answer.count) == answer[...])
            #expect(
                MACCall.codeInPieces(algorithm, key: key, message, length: length).prefix(answer.count) == answer[...])
        }
        #expect(records.count == expectedCount)
    }

    @Test("AES key wrap gives NIST's answers and refuses what NIST altered", arguments: [128, 192, 256])
    func keyWrap(_ bits: Int) throws {
        var wrapped = 0
        for record in try CAVPFile("keywrap/kwtestvectors/KW_AE_\(bits).txt").records
        where record.number("count") != nil {
            let (key, plain) = (try #require(try record.bytes("k")), try #require(try record.bytes("p")))
            #expect(try KeyWrapCall.wrap(plain, under: key) == (try record.bytes("c")))
            wrapped += 1
        }
        var (opened, refused) = (0, 0)
        for record in try CAVPFile("keywrap/kwtestvectors/KW_AD_\(bits).txt").records
        where record.number("count") != nil {
            let (key, sealed) = (try #require(try record.bytes("k")), try #require(try record.bytes("c")))
            if record.isRefusal {
                #expect(throws: CipherCall.Refusal(status: CCCryptorStatus(kCCDecodeError))) {
                    try KeyWrapCall.unwrap(sealed, under: key)
                }
                refused += 1
            } else {
                #expect(try KeyWrapCall.unwrap(sealed, under: key) == (try record.bytes("p")))
                opened += 1
            }
        }
        #expect([wrapped, opened, refused] == [500, 400, 100])
    }

    @Test("AES-CMAC gives the answers of SP 800-38B", arguments: [128, 192, 256]) func cmac(_ bits: Int) throws {
        let records = try CAVPFile("CMAC/nist-800-38b-aes\(bits).txt").records
        for record in records {
            let (key, message) = (try #require(try record.bytes("key")), try #require(try record.bytes("message")))
            #expect(CMACCall.code(key: key, message) == (try record.bytes("output")))
        }
        #expect(records.count == 4)
    }
}
