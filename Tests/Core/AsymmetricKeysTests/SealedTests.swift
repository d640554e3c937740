import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// ECIES and RSA-OAEP with AES-GCM against a second implementation (Fixtures/Vectors/sealed).
@Suite struct SealedTests {
    struct Answer: Decodable {
        let curve: Int?
        let digest: DigestAlgorithm.RawValue
        let derivesIV: Bool?
        let info, associated: Hex?
        /// A file's name, or a private key.
        let key: String
        let text, sealed: Hex
    }

    @Test("messages sealed by others open") func answers() throws {
        let answers: [Answer] = try Vectors.decoded("sealed/answers.json")
        for answer in answers {
            let digest = try #require(DigestAlgorithm(rawValue: answer.digest))
            let (key, algorithms): (PrivateKey, [EncryptionAlgorithm])
            if let derivesIV = answer.derivesIV {
                let bytes = try JSONDecoder().decode(Hex.self, from: Data("\"\(answer.key)\"".utf8))
                key = try PrivateKey(externalRepresentation: bytes.secret, type: .ellipticCurve)
                // Standard and cofactor agreement are the same on these curves.
                algorithms = [false, true].map { .ecies(digest, hasCofactor: $0, derivesIV: derivesIV) }
            } else {
                key = Samples.rsa(answer.key)
                algorithms = [.rsaOAEPAESGCM(digest)]
            }
            for algorithm in algorithms {
                let info = answer.info?.bytes ?? []
                let associated = answer.associated.flatMap { $0.bytes.isEmpty ? nil : $0.bytes }
                let opened = try key.decrypt(
                    answer.sealed.bytes, algorithm, sharedInfo: info, associatedData: associated)
                #expect(opened.contents == answer.text.bytes)
                for other in Self.others(than: algorithm) where key.supports(.encryption(other), for: .decrypt) {
                    #expect(throws: KeyOperationFailure.notDecryptable) {
                        try key.decrypt(answer.sealed.bytes, other, sharedInfo: info, associatedData: associated)
                    }
                }
            }
        }
        #expect(answers.count == 149)
    }

    /// Algorithms of another digest or nonce.
    private static func others(than algorithm: EncryptionAlgorithm) -> [EncryptionAlgorithm] {
        switch algorithm {
        case .ecies(let digest, let hasCofactor, let derivesIV):
            [
                .ecies(digest == .sha256 ? .sha384 : .sha256, hasCofactor: hasCofactor, derivesIV: derivesIV),
                .ecies(digest, hasCofactor: hasCofactor, derivesIV: !derivesIV),
            ]
        case .rsaOAEPAESGCM(let digest): [.rsaOAEPAESGCM(digest == .sha256 ? .sha384 : .sha256)]
        case .rsaRaw, .rsaPKCS1, .rsaOAEP: []
        }
    }

    /// A job for `peer.py`.
    struct Job: Encodable {
        let work: String
        var curve: Int?
        let digest: String
        var derivesIV: Bool?
        var info = Hex([])
        var associated = Hex([])
        let key: Hex
        let text: Hex
    }

    private func ask(_ jobs: [Job]) throws -> [Hex?] {
        let script = Vectors.folder.appendingPathComponent("sealed/peer.py").path
        // Debian's own, which sees Debian's python3-cryptography.
        let outcome = try Program.run(
            ["/usr/bin/python3", script], input: Array(try JSONEncoder().encode(jobs)))
        try #require(outcome.status == 0, "is python3-cryptography installed? \(outcome.complaints)")
        return try JSONDecoder().decode([Hex?].self, from: Data(outcome.output))
    }

    @Test("ECIES in both directions", arguments: Curve.allCases) func ecies(_ curve: Curve) throws {
        let key = Samples.key(curve)
        let number = Array(key.externalRepresentation.contents.suffix(curve.coordinateByteCount))
        var jobs: [Job] = []
        var algorithms: [EncryptionAlgorithm] = []
        for digest in Samples.digests {
            for derivesIV in [false, true] {
                for hasCofactor in [false, true] {
                    for info in [[], Array("shared info".utf8)] as [[UInt8]] {
                        let algorithm = EncryptionAlgorithm.ecies(
                            digest, hasCofactor: hasCofactor, derivesIV: derivesIV)
                        let associated: [UInt8] = hasCofactor ? [1, 2, 3] : []
                        let sealed = try key.publicKey.encrypt(
                            Samples.message, algorithm, sharedInfo: info, associatedData: associated)
                        #expect(sealed.count == curve.pointByteCount + Samples.message.count + 16)
                        for (work, key, text) in [
                            ("ecies-open", number, sealed),
                            ("ecies-seal", key.publicKey.externalRepresentation, Samples.message),
                        ] {
                            jobs.append(
                                Job(
                                    work: work, curve: curve.rawValue, digest: digest.name, derivesIV: derivesIV,
                                    info: Hex(info), associated: Hex(associated), key: Hex(key), text: Hex(text)))
                            algorithms.append(algorithm)
                        }
                    }
                }
            }
        }
        for ((job, algorithm), result) in zip(zip(jobs, algorithms), try ask(jobs)) {
            let result = try #require(result?.bytes, "\(job.work) \(algorithm)")
            if job.work == "ecies-open" {
                #expect(result == Samples.message)
            } else {
                let opened = try key.decrypt(
                    result, algorithm, sharedInfo: job.info.bytes, associatedData: job.associated.bytes)
                #expect(opened.contents == Samples.message)
            }
        }
        #expect(jobs.count == 80)
    }

    @Test("RSA-OAEP with AES-GCM in both directions", arguments: [Samples.rsa2048, Samples.rsa4096])
    func rsa(_ key: PrivateKey) throws {
        let jobs = try Samples.digests.flatMap { digest in
            let sealed = try key.publicKey.encrypt(Samples.message, .rsaOAEPAESGCM(digest))
            #expect(sealed.count == key.publicKey.kind.blockByteCount + Samples.message.count + 16)
            return [
                Job(
                    work: "rsa-open", digest: digest.name, key: Hex(key.externalRepresentation.contents),
                    text: Hex(sealed)),
                Job(
                    work: "rsa-seal", digest: digest.name, key: Hex(key.publicKey.externalRepresentation),
                    text: Hex(Samples.message)),
            ]
        }
        for (job, result) in zip(jobs, try ask(jobs)) {
            let digest = try #require(DigestAlgorithm(rawValue: job.digest))
            let result = try #require(result?.bytes, "\(job.work) \(digest)")
            if job.work == "rsa-open" {
                #expect(result == Samples.message)
            } else {
                #expect(try key.decrypt(result, .rsaOAEPAESGCM(digest)).contents == Samples.message)
            }
        }
    }

    @Test(
        "an altered bit anywhere opens nothing",
        arguments: [
            (Samples.key(.p256), EncryptionAlgorithm.ecies(.sha256, hasCofactor: false, derivesIV: false)),
            (Samples.key(.p521), .ecies(.sha512, hasCofactor: true, derivesIV: true)),
            (Samples.rsa1024, .rsaOAEPAESGCM(.sha256)),
        ])
    func altered(_ key: PrivateKey, _ algorithm: EncryptionAlgorithm) throws {
        let sealed = try key.publicKey.encrypt(Samples.message, algorithm)
        for index in sealed.indices {
            var altered = sealed
            altered[index] ^= 1 << UInt8(index % 8)
            #expect(throws: KeyOperationFailure.notDecryptable) { try key.decrypt(altered, algorithm) }
        }
        for count in [
            0, 1, key.publicKey.kind.blockByteCount, sealed.count - Samples.message.count - 1, sealed.count - 1,
        ] {
            #expect(throws: KeyOperationFailure.notDecryptable) {
                try key.decrypt(Array(sealed.prefix(count)), algorithm)
            }
        }
        #expect(throws: KeyOperationFailure.notDecryptable) { try key.decrypt(sealed + [0], algorithm) }
        let empty = try key.publicKey.encrypt([], algorithm)
        #expect(try key.decrypt(empty, algorithm).count == 0)
        #expect(try key.publicKey.encrypt([], algorithm) != empty)
    }
}
