import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeySecretMemory
import Testing

@testable import LatchkeyCertificates

@Suite("PKCS#12: files of openssl")
struct PKCS12FileTests {
    private let workshop: Workshop
    private let root: Workshop.Made
    private let leaf: Workshop.Made

    init() throws {
        workshop = try Workshop()
        root = try workshop.make("root", "/CN=Root", Workshop.authority)
        leaf = try workshop.make("leaf", "/CN=leaf", by: root)
    }

    @Test(
        "Files are read whatever their encryption and check value",
        arguments: [
            [], ["-legacy"], ["-nomac"], ["-noiter"], ["-nomaciter"], ["-keypbe", "NONE", "-certpbe", "NONE"],
            ["-keypbe", "NONE", "-certpbe", "NONE", "-nomac"], ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "AES-128-CBC"],
            ["-macalg", "sha1"], ["-macalg", "sha512"], ["-descert"], ["-iter", "100000"],
            ["-legacy", "-keypbe", "PBE-SHA1-RC4-128", "-certpbe", "PBE-SHA1-2DES"],
            ["-legacy", "-keypbe", "PBE-MD5-DES", "-certpbe", "PBE-SHA1-RC2-128"],
            ["-keypbe", "des-ede3-cbc", "-certpbe", "aes-192-cbc"],
        ])
    func encryptions(options: [String]) throws {
        let file = try export(["-certfile", root.certificateFile, "-name", "Näme"] + options)
        let found = try PKCS12File(pkcs12: file, passphrase: secret("pass wörd"))
        let identity = try #require(found.identities.first)
        #expect(found.identities.count == 1)
        #expect(identity.certificate == leaf.certificate)
        #expect(identity.key == (try key(leaf)))
        #expect(identity.label == "Näme")
        #expect(identity.keyIdentifier?.count == 20)
        #expect(found.certificates == [leaf.certificate, root.certificate])
        #expect(found.otherKeys.isEmpty)
    }

    @Test("A file may hold no key, or no certificate, or a key of another certificate")
    func incomplete() throws {
        let certificates = try PKCS12File(
            pkcs12: export(["-nokeys", "-certfile", root.certificateFile]), passphrase: secret("pass wörd"))
        #expect(certificates.identities.isEmpty && certificates.otherKeys.isEmpty)
        #expect(certificates.certificates == [leaf.certificate, root.certificate])
        let keys = try PKCS12File(pkcs12: export(["-nocerts"]), passphrase: secret("pass wörd"))
        #expect(keys.identities.isEmpty && keys.certificates.isEmpty)
        #expect(keys.otherKeys == [try key(leaf)])
    }

    @Test("Of several keys and certificates those are paired that belong together, whatever the order")
    func several() throws {
        let other = try workshop.make("other", "/CN=other", by: root, key: .rsa(2048))
        let renewed = try workshop.renew("renewed", of: leaf, "/CN=renewed", by: root)
        let alone = try workshop.make("alone", "/CN=alone")
        let keys = try [leaf, other, alone].map { try key($0).pkcs8(passphrase: nil).contents }
        func read(_ bags: [UInt8]...) throws -> PKCS12File {
            let file = SecretBox(copying: TestPFX.file(Array(bags.joined())))
            return try PKCS12File(pkcs12: file, passphrase: secret("any"))
        }
        let found = try read(
            TestPFX.certificate(root.certificate), TestPFX.key(keys[0]), TestPFX.certificate(other.certificate),
            TestPFX.key(keys[1]), TestPFX.key(keys[2]), TestPFX.certificate(leaf.certificate),
            TestPFX.certificate(renewed.certificate))
        #expect(found.identities.map(\.certificate) == [leaf.certificate, other.certificate])
        #expect(try found.identities.map(\.key) == [key(leaf), key(other)])
        #expect(try found.otherKeys == [key(alone)])
        #expect(found.certificates.count == 4)
        // Of two certificates for one key the one that is named.
        let named = try read(
            TestPFX.certificate(leaf.certificate, identifier: 1),
            TestPFX.certificate(renewed.certificate, identifier: 2),
            TestPFX.key(keys[0], identifier: 2))
        #expect(named.identities.map(\.certificate) == [renewed.certificate])
        #expect(named.identities.first?.keyIdentifier == [2])
        // A name does not make up for another key.
        let misnamed = try read(
            TestPFX.key(keys[0], identifier: 1), TestPFX.certificate(other.certificate, identifier: 1))
        #expect(misnamed.identities.isEmpty && misnamed.otherKeys.count == 1)
    }

    @Test("An RSA key comes out as it went in")
    func rsa() throws {
        let made = try workshop.make("rsa", "/CN=rsa", by: root, key: .rsa(2048))
        let found = try PKCS12File(pkcs12: export([], of: made), passphrase: secret("pass wörd"))
        #expect(found.identities.first?.key == (try key(made)))
        let plain = found.identities.first?.key.pkcs8(passphrase: nil)
        try workshop.openssl(["pkcs8", "-topk8", "-nocrypt", "-in", made.keyFile, "-outform", "DER", "-out", "k.der"])
        #expect(plain?.equals(SecretBox(copying: try workshop.bytes("k.der"))) == true)
    }

    @Test("Of an empty passphrase there are two forms, and both open")
    func emptyPassphrase() throws {
        for options in [[], ["-legacy"]] {
            let file = try export(options, passphrase: "")
            #expect(try PKCS12File(pkcs12: file, passphrase: secret("")).identities.count == 1)
        }
        // The other form, of which only the check value differs with PBES2: derived from no passphrase at all.
        let bytes = try export(["-nomaciter"], passphrase: "").contents
        // MacData: DigestInfo with algorithm and code, then the salt.
        let content = try item(bytes, [1, 1, 0])
        let code = try item(bytes, [2, 0, 1])
        let salt = try item(bytes, [2, 1])
        // PKCS#12 (RFC 7292, appendix B) with one round: diversifier 3, the salt as often as it fits, no passphrase.
        let salts = (0..<64).map { salt[salt.startIndex + $0 % salt.count] }
        let key = SecretBox(copying: sha256([UInt8](repeating: 3, count: 64) + salts))
        var altered = bytes
        altered.replaceSubrange(code.indices, with: HMACSHA256.code(over: Array(content), key: key))
        #expect(altered != bytes)
        let file = SecretBox(copying: altered)
        #expect(try PKCS12File(pkcs12: file, passphrase: secret("")).identities.count == 1)
        #expect(throws: CertificateFailure.wrongPassphrase) {
            try PKCS12File(pkcs12: file, passphrase: secret("x"))
        }
    }

    @Test(
        "Another passphrase is refused as that, whatever the encryption",
        arguments: [
            [], ["-legacy"], ["-nomac"], ["-legacy", "-nomac"], ["-keypbe", "NONE", "-certpbe", "NONE"],
        ])
    func wrongPassphrase(options: [String]) throws {
        let file = try export(options)
        for other in ["", "pass", "pass word", "PASS WÖRD", "pass wörd "] {
            #expect(throws: CertificateFailure.wrongPassphrase) {
                try PKCS12File(pkcs12: file, passphrase: secret(other))
            }
        }
        #expect(throws: CertificateFailure.wrongPassphrase) {
            try PKCS12File(pkcs12: file, passphrase: SecretBox(copying: [0xFF, 0xFE]))
        }
    }

    @Test("Without libcrypto's module for algorithms of old the failure says which is missing")
    func withoutModule() throws {
        let bare = LegacyProvider(modules: ["default", "no-such-module"])
        #expect(!bare.isComplete)
        #expect(LegacyProvider.shared.isComplete)
        let old = try export(["-legacy"])
        do throws(CertificateFailure) {
            _ = try PKCS12File(
                pkcs12: old, passphrase: secret("pass wörd"), provider: bare, roundLimit: 1 << 20)
            Issue.record("RC2 without the module")
        } catch {
            guard case .unsupported(let what) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(what.contains("legacy"))
        }
        let modern = try export([])
        #expect(
            try PKCS12File(
                pkcs12: modern, passphrase: secret("pass wörd"), provider: bare, roundLimit: 1 << 20
            ).identities.count
                == 1)
    }

    private func export(_ options: [String], of made: Workshop.Made? = nil, passphrase: String = "pass wörd") throws
        -> SecretBox
    {
        let made = made ?? leaf
        let path = workshop.path("\(UUID().uuidString).p12")
        try workshop.openssl(
            [
                "pkcs12", "-export", "-in", made.certificateFile, "-inkey", made.keyFile, "-passout",
                "pass:\(passphrase)",
            ]
                + ["-out", path] + options)
        return SecretBox(copying: Array(try Data(contentsOf: URL(fileURLWithPath: path))))
    }

    /// The content of an item, by the numbers of the items around it.
    private func item(_ bytes: [UInt8], _ path: [Int]) throws -> ArraySlice<UInt8> {
        var content = try #require(DERCursor.only(bytes[...], tag: 0x30)).content
        for number in path {
            var parts = DERCursor(content)
            for _ in 0..<number { _ = parts.next() }
            guard let found = parts.next() else { break }
            content = found.content
        }
        return content
    }

    private func key(_ made: Workshop.Made) throws -> PrivateKey {
        try PrivateKey(
            encoded: SecretBox(copying: Array(try Data(contentsOf: URL(fileURLWithPath: made.keyFile)))),
            passphrase: nil)
    }
}

func secret(_ text: String) -> SecretBox { SecretBox(copying: Array(text.utf8)) }

/// Runs a program; fails the test if it fails.
func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
}
