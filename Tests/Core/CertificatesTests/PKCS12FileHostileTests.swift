import Foundation
import LatchkeyAsymmetricKeys
import LatchkeySecretMemory
import Testing

@testable import LatchkeyCertificates

@Suite("PKCS#12: files that mean harm")
struct PKCS12FileHostileTests {
    /// A small file, made once: an EC key, its certificate and little work.
    private static let sample = Result { () throws -> [String: [UInt8]] in
        let workshop = try Workshop()
        let leaf = try workshop.make("leaf", "/CN=leaf")
        let base = ["pkcs12", "-export", "-in", leaf.certificateFile, "-inkey", leaf.keyFile, "-passout", "pass:x"]
        let kinds = [
            "modern": ["-iter", "1"], "old": ["-legacy", "-iter", "1"],
            "open": ["-keypbe", "NONE", "-certpbe", "NONE"],
            "unchecked": ["-nomac", "-iter", "1"], "usual": [],
        ]
        var files: [String: [UInt8]] = [:]
        for (name, options) in kinds {
            try workshop.openssl(base + options + ["-out", "\(name).p12"])
            files[name] = try workshop.bytes("\(name).p12")
        }
        return files
    }

    private func file(_ name: String) throws -> [UInt8] { try #require(try Self.sample.get()[name]) }

    private func failure(_ bytes: [UInt8], _ passphrase: String = "x") -> CertificateFailure? {
        do throws(CertificateFailure) {
            _ = try PKCS12File(pkcs12: SecretBox(copying: bytes), passphrase: secret(passphrase))
            return nil
        } catch {
            return error
        }
    }

    @Test("A file that is cut anywhere cannot be parsed", arguments: ["modern", "old", "open", "unchecked"])
    func truncated(name: String) throws {
        let bytes = try file(name)
        #expect(failure(bytes) == nil)
        for count in bytes.indices {
            guard case .unreadable = failure(Array(bytes.prefix(count))) else {
                Issue.record("\(count) of \(bytes.count) bytes")
                return
            }
        }
        #expect(failure(bytes + [0]) != nil)
    }

    @Test("A file of which one bit was altered is refused or says the same", arguments: ["modern", "old", "open"])
    func altered(name: String) throws {
        let bytes = try file(name)
        let whole = try PKCS12File(pkcs12: SecretBox(copying: bytes), passphrase: secret("x"))
        var refused = 0
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= 1 << UInt8(index % 8)
            do throws(CertificateFailure) {
                let found = try PKCS12File(pkcs12: SecretBox(copying: altered), passphrase: secret("x"))
                #expect(found.certificates == whole.certificates)
                #expect(found.identities.map(\.key) == whole.identities.map(\.key))
            } catch {
                refused += 1
            }
        }
        // These changes are allowed: a missing parameter, or its NULL.
        #expect(refused > bytes.count - 10)
    }

    @Test("Bits that are altered where there is no check value end nothing")
    func unchecked() throws {
        let bytes = try file("unchecked")
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= 1 << UInt8(index % 8)
            _ = failure(altered)
        }
    }

    /// The file with each `INTEGER` 2048 replaced, which are its counts of rounds.
    private func file(rounds: [UInt8]) throws -> [UInt8] {
        var bytes = try file("usual")
        var count = 0
        while let range = bytes.firstRange(of: [2, 2, 8, 0]) {
            // Longer in place would need all lengths anew: so the salt before it, of eight bytes, becomes shorter.
            let extra = rounds.count - 2
            let salt = range.lowerBound - 10
            guard bytes[salt] == 4, bytes[salt + 1] == 8 else { break }
            let saltBytes = bytes[(salt + 2 + extra)..<range.lowerBound]
            bytes.replaceSubrange(
                salt..<range.upperBound,
                with: [4, UInt8(8 - extra)] + saltBytes + [2, UInt8(rounds.count)] + rounds)
            count += 1
        }
        try #require(count == 3)
        return bytes
    }

    @Test(
        "Billions of rounds are not begun",
        arguments: [
            [0x7F, 0xFF, 0xFF, 0xFF], [0x00, 0x80, 0, 0, 0], [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x00, 0x98, 0x96, 0x81],
        ] as [[UInt8]])
    func rounds(count: [UInt8]) throws {
        #expect(failure(try file(rounds: count)) == .tooLarge(what: "rounds"))
    }

    @Test("All rounds of a file count together, before they are derived")
    func budget() throws {
        // The check value, and a safe and a key by PBES2.
        let bytes = SecretBox(copying: try file("usual"))
        let found = try PKCS12File(pkcs12: bytes, passphrase: secret("x"), roundLimit: 3 * 2048)
        #expect(found.identities.count == 1)
        #expect(throws: CertificateFailure.tooLarge(what: "rounds")) {
            try PKCS12File(pkcs12: bytes, passphrase: secret("x"), roundLimit: 3 * 2048 - 1)
        }
        // Of an empty passphrase both forms cost.
        #expect(throws: CertificateFailure.tooLarge(what: "rounds")) {
            try PKCS12File(pkcs12: bytes, passphrase: secret(""), roundLimit: 2 * 2048 - 1)
        }
    }

    @Test(
        "A negative number of rounds, or zero, is refused",
        arguments: [[0x80, 0, 0, 0], [0xFF, 0xFF], [0, 0]] as [[UInt8]])
    func noRounds(count: [UInt8]) throws {
        guard case .unreadable? = failure(try file(rounds: count)) else {
            Issue.record("taken")
            return
        }
    }

    @Test("Large files and passphrases are refused before they are looked at")
    func large() {
        let huge = [UInt8](repeating: 0x30, count: PKCS12File.byteLimit + 1)
        #expect(failure(huge) == .tooLarge(what: "file of \(huge.count) bytes"))
        #expect(failure([0x30, 0], String(repeating: "x", count: 100_000)) == .tooLarge(what: "passphrase"))
    }

    @Test("Safes in safes, and bags without end, are too many")
    func bombs() throws {
        #expect(failure(TestPFX.file(TestPFX.nested(3))) == nil)
        #expect(failure(TestPFX.file(TestPFX.nested(9))) == .tooLarge(what: "nesting"))
        #expect(failure(TestPFX.file(TestPFX.nested(60))) != nil)
        #expect(failure(TestPFX.file(TestPFX.bags(4096))) == nil)
        #expect(failure(TestPFX.file(TestPFX.bags(4097))) == .tooLarge(what: "bags"))
    }

    @Test("Files for the owner of a key are told from damaged ones")
    func otherModes() throws {
        let signed = TestPFX.pfx(type: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2], content: TestPFX.signedData)
        #expect(
            failure(signed)
                == .unsupported(what: "a file that is signed with a key instead of checked with a passphrase"))
        for (type, number) in [
            ("a safe for the owner of a key, not of a passphrase", UInt8(3)), ("a safe of another kind", 5),
        ] {
            let content = number == 3 ? TestPFX.envelopedData : TestPFX.digestedData
            let safe = TestPFX.information([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, number], content)
            #expect(failure(TestPFX.file(safes: safe)) == .unsupported(what: type))
        }
    }

    @Test(
        "Bytes that are not a PKCS#12 file are refused",
        arguments: [[], [0x30], [0x30, 0], [0x30, 0x80, 0, 0], Array("text".utf8)] as [[UInt8]])
    func garbage(bytes: [UInt8]) {
        guard case .unreadable? = failure(bytes) else {
            Issue.record("taken")
            return
        }
    }
}
