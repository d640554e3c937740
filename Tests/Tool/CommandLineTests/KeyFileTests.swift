import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyCommandLineTool
import LatchkeyCryptoSuite
import LatchkeySecretMemory
import Testing

@Suite("Files with keys and certificates")
struct KeyFileTests {
    /// Counts how often it is asked, for it must be asked at most once.
    private final class Passphrase {
        var count = 0
        let text: String

        init(_ text: String = "correct horse") {
            self.text = text
        }

        func ask() -> SecretBox {
            count += 1
            return SecretBox(copying: Array(text.utf8))
        }
    }

    private static let secret = SecretBox(copying: Array("correct horse".utf8))
    private static let key = Result { try PrivateKey(generating: .ellipticCurve(.p256)) }

    private func read(
        _ contents: SecretBox, format: KeyFileFormat? = nil, _ passphrase: Passphrase = Passphrase()
    ) throws -> KeyFile {
        var reader = KeyFileReader(path: "file", format: format) { passphrase.ask() }
        return try reader.read(contents)
    }

    private func read(_ bytes: [UInt8], format: KeyFileFormat? = nil) throws -> KeyFile {
        try read(SecretBox(copying: bytes), format: format)
    }

    @Test("a private key in clear is read without a passphrase, in PEM and DER, and said to be in clear")
    func clearKeys() throws {
        let key = try Self.key.get()
        for contents in [key.pem(passphrase: nil), key.pkcs8(passphrase: nil)] {
            let passphrase = Passphrase()
            let file = try read(contents, passphrase)
            #expect(file.privateKeys == [key])
            #expect(file.isInClear)
            #expect(passphrase.count == 0)
        }
        #expect(try read(key.pkcs8(passphrase: nil), format: .pkcs8).privateKeys == [key])
    }

    @Test("encrypted keys ask once, however many there are")
    func encryptedKeys() throws {
        let key = try Self.key.get()
        let pem = key.pem(passphrase: Self.secret)
        let passphrase = Passphrase()
        let file = try read(pem.appending(pem, count: pem.count), passphrase)
        #expect(file.privateKeys == [key, key])
        #expect(!file.isInClear)
        #expect(passphrase.count == 1)
        #expect(try read(key.pkcs8(passphrase: Self.secret)).privateKeys == [key])
    }

    @Test("a wrong passphrase has an exit code of its own")
    func wrongPassphrase() throws {
        let pem = try Self.key.get().pem(passphrase: Self.secret)
        #expect {
            try read(pem, Passphrase("wrong"))
        } throws: {
            ($0 as? CommandFailure)?.status == .wrongPassphrase
        }
    }

    @Test("public keys, in PEM and DER")
    func publicKeys() throws {
        let key = try Self.key.get().publicKey
        #expect(try read(Array(key.pem.utf8)).publicKeys == [key])
        #expect(try read(key.subjectPublicKeyInfo).publicKeys == [key])
        #expect(try PublicKeyFile.key(in: Array(key.pem.utf8), path: "x") == key)
        #expect(try PublicKeyFile.key(in: key.subjectPublicKeyInfo, path: "x") == key)
    }

    @Test("blocks of other kinds are passed over and named; a file of nothing else is refused")
    func otherBlocks() throws {
        let other = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
        let file = try read(Array((other + Self.key.get().publicKey.pem).utf8))
        #expect(file.notes.count == 1)
        #expect(file.notes.first?.contains("EC PARAMETERS") == true)
        #expect { try read(Array(other.utf8)) } throws: { ($0 as? CommandFailure)?.status == .inputMalformed }
    }

    @Test(
        "what is neither a key nor a certificate is refused, whatever it is said to be",
        arguments: [
            [], [0x30], [0x30, 0x80, 0, 0], Array("machine a login b".utf8), Array(repeating: 0x30, count: 100_000),
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x02, 0x01, 0x03], [0x30, 0x06, 0x02, 0x01, 0x03, 0x30, 0x01, 0x00],
            Array("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8),
            Array("-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n".utf8),
        ] as [[UInt8]])
    func garbage(_ bytes: [UInt8]) {
        for format in [nil] + KeyFileFormat.allCases.map(Optional.some) {
            #expect {
                try read(bytes, format: format)
            } throws: {
                let status = ($0 as? CommandFailure)?.status
                // A PKCS#12 file without a valid check value may be damaged or have another passphrase.
                return status == .inputMalformed || status == .wrongPassphrase
            }
        }
    }

    @Test("what the contents look like")
    func guesses() throws {
        func guess(_ bytes: [UInt8]) -> KeyFileFormat { KeyFileReader.guess(of: SecretBox(copying: bytes)) }
        #expect(guess(Array("-----BEGIN X-----".utf8)) == .pem)
        #expect(guess([0x30, 0x82, 1, 0, 2, 1, 3, 0x30, 0]) == .pkcs12)
        #expect(guess([0x30, 0x80, 2, 1, 3, 0x30, 0x80, 0, 0]) == .pkcs12)
        #expect(guess([0x30, 0x10, 2, 1, 3, 0x30, 0x80, 0, 0]) == .pkcs12)
        #expect(guess([0x30, 0x82, 1, 0, 2, 1, 0, 0x30, 0]) == .der)
        #expect(guess([0x30, 0xFF, 1, 0, 2, 1, 0, 0x30, 0]) == .der)
        #expect(guess([]) == .der)
    }
}

@Suite("Messages and results in files")
struct ResultFileTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "latchkey-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory.path)
    }

    @Test("a file longer than what is read at a time has the digest of all of it", arguments: [0, 1, 65536, 200_001])
    func digests(_ count: Int) throws {
        try withDirectory { directory in
            let path = directory + "/message"
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            try Data(bytes).write(to: URL(filePath: path))
            #expect(try MessageInput.digest(of: path, .sha256) == sha256(bytes))
            #expect(try MessageInput.digest(of: path, .sha1) == sha1(bytes))
            #expect(try MessageInput.digest(of: path, .sha512).count == 64)
        }
    }

    @Test("a message that cannot be read is said to be so")
    func unreadable() throws {
        #expect {
            try MessageInput.digest(of: "/nonexistent", .sha256)
        } throws: {
            ($0 as? CommandFailure)?.status == .inputUnreadable
        }
        #expect {
            try MessageInput.digest(of: "/", .sha256)
        } throws: {
            ($0 as? CommandFailure)?.status == .inputUnreadable
        }
    }

    @Test("a secret goes into a new file that only its owner reads, and over none that is there")
    func secrets() throws {
        try withDirectory { directory in
            let path = directory + "/secret"
            try ResultFile.write(SecretBox(copying: Array("one".utf8)), to: path)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let failure = #expect(throws: CommandFailure.self) {
                try ResultFile.write(SecretBox(copying: Array("two".utf8)), to: path)
            }
            #expect(failure?.what.contains("exists already") == true)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "one")
            #expect(throws: CommandFailure.self) {
                try ResultFile.write(SecretBox(copying: [1]), to: directory + "/none/secret")
            }
        }
    }

    @Test("a result without secrets replaces an older file")
    func results() throws {
        try withDirectory { directory in
            let path = directory + "/result"
            try ResultFile.write(Array("longer".utf8), to: path)
            try ResultFile.write(Array("new".utf8), to: path)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        }
    }

    @Test(
        "base64 in one line, and read with line ends", arguments: [[], [0], [0xFF, 0, 1], Array(0...255)] as [[UInt8]])
    func base64(_ bytes: [UInt8]) {
        let text = Base64.text(bytes)
        #expect(!text.contains("\n"))
        let broken = text.enumerated().map { $0.offset % 64 == 63 ? "\($0.element)\r\n" : "\($0.element)" }.joined()
        #expect(Base64.bytes(from: Array(broken.utf8)) == bytes)
        #expect(Base64.bytes(from: Array("*".utf8)) == nil)
    }
}
