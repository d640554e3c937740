import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// Encryption and key agreement between Latchkey and the openssl command, in both directions.
@Suite struct OpenSSLEncryptionTests {
    @Test(
        "RSA encryption",
        arguments: [(EncryptionAlgorithm.rsaPKCS1, ["rsa_padding_mode:pkcs1"])]
            + Samples.digests.map { digest in
                (
                    .rsaOAEP(digest),
                    [
                        "rsa_padding_mode:oaep", "rsa_oaep_md:\(digest.opensslName)",
                        "rsa_mgf1_md:\(digest.opensslName)",
                    ]
                )
            })
    func rsa(_ algorithm: EncryptionAlgorithm, _ options: [String]) throws {
        let directory = try Program.Directory()
        defer { directory.remove() }
        let key = Samples.rsa2048
        let flags = options.flatMap { ["-pkeyopt", $0] }
        let publicFile = try directory.file("public", Array(key.publicKey.pem.utf8))
        let privateFile = try directory.file("private", key.pem(passphrase: nil).contents)
        for plaintext in [[], [0], Samples.message, [UInt8](repeating: 0xFF, count: 126)] {
            let ours = try key.publicKey.encrypt(plaintext, algorithm)
            let opened = try OpenSSL.run(
                ["pkeyutl", "-decrypt", "-inkey", privateFile, "-in", try directory.file("ours", ours)] + flags)
            #expect(opened == plaintext)
            let theirs = try OpenSSL.run(
                ["pkeyutl", "-encrypt", "-pubin", "-inkey", publicFile, "-in", try directory.file("plain", plaintext)]
                    + flags)
            #expect(try key.decrypt(theirs, algorithm).contents == plaintext)
        }
    }

    @Test("RSA without padding") func raw() throws {
        let directory = try Program.Directory()
        defer { directory.remove() }
        let key = Samples.rsa2048
        let block = [0, 0] + [UInt8](repeating: 0x5A, count: 254)
        let ours = try key.publicKey.encrypt(block, .rsaRaw)
        let theirs = try OpenSSL.run([
            "pkeyutl", "-encrypt", "-pubin", "-pkeyopt", "rsa_padding_mode:none", "-inkey",
            try directory.file("public", Array(key.publicKey.pem.utf8)), "-in", try directory.file("plain", block),
        ])
        #expect(ours == theirs)
        #expect(try key.decrypt(theirs, .rsaRaw).contents == block)
        // A shorter number has zeros in front.
        #expect(try key.publicKey.encrypt(Array(block.dropFirst(2)), .rsaRaw) == ours)
    }

    @Test("the x coordinate that both sides get", arguments: Curve.allCases) func agreement(_ curve: Curve) throws {
        let directory = try Program.Directory()
        defer { directory.remove() }
        let (own, peer) = (Samples.key(curve), Samples.make(.ellipticCurve(curve)))
        let shared = try own.agree(with: peer.publicKey)
        let theirs = try OpenSSL.run([
            "pkeyutl", "-derive", "-inkey", try directory.file("private", peer.pem(passphrase: nil).contents),
            "-peerkey", try directory.file("peer", Array(own.publicKey.pem.utf8)),
        ])
        #expect(shared.contents == theirs)
        #expect(shared.count == curve.coordinateByteCount)
    }

    @Test("keys derived from it", arguments: Curve.allCases, Samples.digests)
    func derivation(_ curve: Curve, _ digest: DigestAlgorithm) throws {
        let (own, peer) = (Samples.key(curve), Samples.make(.ellipticCurve(curve)))
        let info = Array("shared info".utf8)
        let secret = try peer.agree(with: own.publicKey)
        for (count, info) in [(1, []), (32, info), (200, info)] {
            let derived = try own.exchange(
                with: peer.publicKey, ExchangeAlgorithm(hasCofactor: false, derivation: digest),
                requestedByteCount: count, sharedInfo: info)
            let theirs = try OpenSSL.run(
                ["kdf", "-binary", "-keylen", "\(count)", "-kdfopt", "digest:\(digest.name)"]
                    + ["-kdfopt", "hexsecret:" + hexadecimal(secret.contents)]
                    + (info.isEmpty ? [] : ["-kdfopt", "hexinfo:" + hexadecimal(info)]) + ["X963KDF"])
            #expect(derived.contents == theirs)
            let cofactor = try own.exchange(
                with: peer.publicKey, ExchangeAlgorithm(hasCofactor: true, derivation: digest),
                requestedByteCount: count, sharedInfo: info)
            #expect(cofactor.contents == theirs)
        }
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
