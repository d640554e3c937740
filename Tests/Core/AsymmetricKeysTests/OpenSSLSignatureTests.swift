import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeyTestSupport
import Testing

/// Signatures between Latchkey and the openssl command, in both directions.
@Suite struct OpenSSLSignatureTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let key: PrivateKey
        let algorithm: SignatureAlgorithm
        /// The options of `openssl dgst` besides the digest.
        var options: [String] = []

        var testDescription: String { "\(key.publicKey.kind) \(algorithm)" }
    }

    static let cases: [Case] =
        Curve.allCases.flatMap { curve in
            Samples.digests.map {
                Case(key: Samples.key(curve), algorithm: SignatureAlgorithm(.ecdsaX962, $0, takesMessage: true))
            }
        }
        + (Samples.digests + [.md5]).map {
            Case(key: Samples.rsa2048, algorithm: SignatureAlgorithm(.rsaPKCS1, $0, takesMessage: true))
        }
        + Samples.digests.map {
            Case(
                key: Samples.rsa2048, algorithm: SignatureAlgorithm(.rsaPSS, $0, takesMessage: true),
                options: ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:\($0.byteCount)"])
        }

    @Test("message signatures", arguments: cases) func messages(_ test: Case) throws {
        let directory = try Program.Directory()
        defer { directory.remove() }
        let digest = "-" + (try #require(test.algorithm.digest)).opensslName
        let signature = try test.key.sign(Samples.message, test.algorithm)
        let answer = try OpenSSL.run(
            ["dgst", digest, "-verify", try directory.file("public", Array(test.key.publicKey.pem.utf8))]
                + ["-signature", try directory.file("signature", signature)] + test.options
                + [try directory.file("message", Samples.message)])
        #expect(String(decoding: answer, as: UTF8.self) == "Verified OK\n")

        let theirs = try OpenSSL.run(
            ["dgst", digest, "-sign", try directory.file("private", test.key.pem(passphrase: nil).contents)]
                + test.options + [try directory.file("message", Samples.message)])
        try test.key.publicKey.verify(theirs, over: Samples.message, test.algorithm)
        #expect(try !test.key.publicKey.accepts(theirs, over: Samples.message + [0], test.algorithm))

        // The digest's algorithm and the message's make and take the same.
        let ofDigest = SignatureAlgorithm(test.algorithm.scheme, test.algorithm.digest, takesMessage: false)
        let hash = try #require(test.algorithm.digest).digest(of: Samples.message)
        try test.key.publicKey.verify(theirs, over: hash, ofDigest)
        try test.key.publicKey.verify(
            try test.key.sign(hash, ofDigest), over: Samples.message, test.algorithm)
    }

    @Test("bytes without the name of a digest", arguments: [1, 20, 36, 245]) func withoutName(count: Int) throws {
        let directory = try Program.Directory()
        defer { directory.remove() }
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 + 1) }
        let algorithm = SignatureAlgorithm(.rsaPKCS1, nil, takesMessage: false)
        let signature = try Samples.rsa2048.sign(bytes, algorithm)
        let recovered = try OpenSSL.run([
            "pkeyutl", "-verifyrecover", "-pubin", "-inkey",
            try directory.file("public", Array(Samples.rsa2048.publicKey.pem.utf8)), "-in",
            try directory.file("signature", signature),
        ])
        #expect(recovered == bytes)
        let theirs = try OpenSSL.run([
            "rsautl", "-sign", "-inkey", try directory.file("private", Samples.rsa2048.pem(passphrase: nil).contents),
            "-in", try directory.file("bytes", bytes),
        ])
        #expect(theirs == signature)
        try Samples.rsa2048.publicKey.verify(theirs, over: bytes, algorithm)
    }

    @Test("whole blocks without padding") func raw() throws {
        let directory = try Program.Directory()
        defer { directory.remove() }
        let block = [0] + [UInt8](repeating: 0x5A, count: 255)
        let algorithm = SignatureAlgorithm(.rsaRaw, nil, takesMessage: false)
        let signature = try Samples.rsa2048.sign(block, algorithm)
        let theirs = try OpenSSL.run([
            "rsautl", "-sign", "-raw", "-inkey",
            try directory.file("private", Samples.rsa2048.pem(passphrase: nil).contents), "-in",
            try directory.file("bytes", block),
        ])
        #expect(theirs == signature)
        // A shorter number has zeros in front.
        #expect(try Samples.rsa2048.sign(Array(block.dropFirst()), algorithm) == signature)
        try Samples.rsa2048.publicKey.verify(theirs, over: block, algorithm)
        try Samples.rsa2048.publicKey.verify(theirs, over: Array(block.dropFirst()), algorithm)
    }

    @Test("digests of any length with every curve", arguments: Curve.allCases, [1, 20, 32, 64])
    func anyLength(_ curve: Curve, _ count: Int) throws {
        let directory = try Program.Directory()
        defer { directory.remove() }
        let digest = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
        let algorithm = SignatureAlgorithm(.ecdsaX962, nil, takesMessage: false)
        let key = Samples.key(curve)
        let signature = try key.sign(digest, algorithm)
        let answer = try OpenSSL.run([
            "pkeyutl", "-verify", "-pubin", "-inkey", try directory.file("public", Array(key.publicKey.pem.utf8)),
            "-in", try directory.file("digest", digest), "-sigfile", try directory.file("signature", signature),
        ])
        #expect(String(decoding: answer, as: UTF8.self) == "Signature Verified Successfully\n")
        let theirs = try OpenSSL.run([
            "pkeyutl", "-sign", "-inkey", try directory.file("private", key.pem(passphrase: nil).contents), "-in",
            try directory.file("digest", digest),
        ])
        try key.publicKey.verify(theirs, over: digest, algorithm)
        let raw = try #require(ECDSASignature.raw(der: theirs, curve: curve))
        try key.publicKey.verify(raw, over: digest, SignatureAlgorithm(.ecdsaRFC4754, nil, takesMessage: false))
    }
}
