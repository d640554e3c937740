import CommonCrypto
import LatchkeyTestSupport
import Testing

/// NIST's and the ciphers' own vectors, in both directions, at once and in pieces.
@Suite struct CAVPCipherTests {
    struct Table: CustomTestStringConvertible, Sendable {
        let algorithm: Int
        let mode: Int
        let files: [String]
        /// The number of vectors in the files.
        let count: Int
        var testDescription: String { files[0] }
    }

    static let aes: [Table] = [
        ("ECB", "ECB", kCCModeECB), ("CBC", "CBC", kCCModeCBC), ("OFB", "OFB", kCCModeOFB),
        ("CFB", "CFB128", kCCModeCFB), ("CFB", "CFB8", kCCModeCFB8),
    ].map { folder, name, mode in
        let files = ["GFSbox", "KeySbox", "MMT", "VarKey", "VarTxt"].flatMap { kind in
            [128, 192, 256].map { "ciphers/AES/\(folder)/\(name)\(kind)\($0).rsp" }
        }
        return Table(algorithm: kCCAlgorithmAES, mode: mode, files: files, count: 2138)
    }

    static let tripleDES: [Table] = [
        ("ECB", "TECB", kCCModeECB), ("CBC", "TCBC", kCCModeCBC), ("OFB", "TOFB", kCCModeOFB),
        ("CFB", "TCFB64", kCCModeCFB), ("CFB", "TCFB8", kCCModeCFB8),
    ].map { folder, name, mode in
        let files = ["MMT1", "MMT2", "MMT3", "invperm", "permop", "subtab", "varkey", "vartext"]
            .map { "ciphers/3DES/\(folder)/\(name)\($0).rsp" }
        return Table(algorithm: kCCAlgorithm3DES, mode: mode, files: files, count: 530)
    }

    static let others: [Table] = [
        Table(
            algorithm: kCCAlgorithmAES, mode: kCCModeCTR,
            files: [128, 192, 256].map { "ciphers/AES/CTR/aes-\($0)-ctr.txt" }, count: 9),
        Table(algorithm: kCCAlgorithmCAST, mode: kCCModeECB, files: ["ciphers/CAST5/cast5-ecb.txt"], count: 3),
        Table(algorithm: kCCAlgorithmCAST, mode: kCCModeCBC, files: ["ciphers/CAST5/cast5-cbc.txt"], count: 20),
        Table(algorithm: kCCAlgorithmCAST, mode: kCCModeCFB, files: ["ciphers/CAST5/cast5-cfb.txt"], count: 20),
        Table(algorithm: kCCAlgorithmCAST, mode: kCCModeOFB, files: ["ciphers/CAST5/cast5-ofb.txt"], count: 20),
        Table(algorithm: kCCAlgorithmCAST, mode: kCCModeCTR, files: ["ciphers/CAST5/cast5-ctr.txt"], count: 3),
        Table(algorithm: kCCAlgorithmBlowfish, mode: kCCModeECB, files: ["ciphers/Blowfish/bf-ecb.txt"], count: 51),
        Table(algorithm: kCCAlgorithmBlowfish, mode: kCCModeCBC, files: ["ciphers/Blowfish/bf-cbc.txt"], count: 1),
        Table(algorithm: kCCAlgorithmBlowfish, mode: kCCModeCFB, files: ["ciphers/Blowfish/bf-cfb.txt"], count: 1),
        Table(algorithm: kCCAlgorithmBlowfish, mode: kCCModeOFB, files: ["ciphers/Blowfish/bf-ofb.txt"], count: 1),
    ]

    @Test("each cipher gives the bytes of its vectors", arguments: aes + tripleDES + others)
    func ciphers(_ table: Table) throws {
        var count = 0
        for path in table.files {
            for record in try CAVPFile(path).records {
                let key = try #require(try Self.key(of: record))
                let plaintext = try #require(try record.bytes("plaintext"))
                let ciphertext = try #require(try record.bytes("ciphertext"))
                var call = CipherCall(
                    algorithm: table.algorithm, mode: table.mode, key: key, iv: try record.bytes("iv"))
                // NIST's Blowfish has shorter ones.
                if table.algorithm == kCCAlgorithmBlowfish, key.count < kCCKeySizeMinBlowfish {
                    #expect(throws: CipherCall.Refusal(status: CCCryptorStatus(kCCKeySizeError))) {
                        try call.encrypt(plaintext)
                    }
                    continue
                }
                let place: Comment = "\(path) \(record.section) \(record.text("count") ?? "")"
                try Self.check(call, plaintext, ciphertext, place)
                // Three equal keys undo each other: what is left is DES.
                if table.algorithm == kCCAlgorithm3DES, let single = try record.bytes("keys") {
                    call.algorithm = kCCAlgorithmDES
                    call.key = single
                    try Self.check(call, plaintext, ciphertext, place)
                }
                count += 1
            }
        }
        #expect(count == table.count)
    }

    private static func key(of record: CAVPFile.Record) throws -> [UInt8]? {
        if let key = try record.bytes("key") { return key }
        if let key = try record.bytes("keys") { return key + key + key }
        guard let first = try record.bytes("key1"), let second = try record.bytes("key2"),
            let third = try record.bytes("key3")
        else { return nil }
        return first + second + third
    }

    private static func check(
        _ call: CipherCall, _ plaintext: [UInt8], _ ciphertext: [UInt8], _ place: Comment
    ) throws {
        #expect(try call.encrypt(plaintext) == ciphertext, place)
        #expect(try call.decrypt(ciphertext) == plaintext, place)
        guard plaintext.count > 16 else { return }
        #expect(try call.encrypt(plaintext, pieces: [1, 7, 8, 0, 17]) == ciphertext, place)
        #expect(try call.decrypt(ciphertext, pieces: [15, 2, 16]) == plaintext, place)
    }

    static let rc4Files = ["arc4"] + [40, 56, 64, 80, 128, 192, 256].map { "rfc-6229-\($0)" }

    @Test("RC4 gives the key streams of RFC 6229, far into the message", arguments: rc4Files)
    func rc4(_ name: String) throws {
        var count = 0
        for record in try CAVPFile("ciphers/ARC4/\(name).txt").records {
            let offset = try #require(record.number("offset"))
            let plaintext = [UInt8](repeating: 0, count: offset) + (try #require(try record.bytes("plaintext")))
            let call = CipherCall(
                algorithm: kCCAlgorithmRC4, mode: kCCModeRC4, key: try #require(try record.bytes("key")))
            let sent = try call.encrypt(plaintext, pieces: [offset / 2])
            #expect(sent.suffix(plaintext.count - offset) == (try #require(try record.bytes("ciphertext")))[...])
            #expect(try call.decrypt(sent) == plaintext)
            #expect(try call.oneShot(kCCEncrypt, plaintext) == sent)
            count += 1
        }
        #expect(count == 36)
    }
}
