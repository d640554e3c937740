import Foundation
import LatchkeyAsymmetricKeys
import LatchkeySecretMemory
import Testing

@testable import LatchkeyCertificates

@Suite("PKCS#12: files for openssl")
struct PKCS12FileWritingTests {
    private let workshop: Workshop
    private let root: Workshop.Made
    private let leaf: Workshop.Made

    init() throws {
        workshop = try Workshop()
        root = try workshop.make("root", "/CN=Root", Workshop.authority)
        leaf = try workshop.make("leaf", "/CN=leaf", by: root, key: .rsa(2048))
    }

    private func identity(_ label: String? = nil, key: Workshop.Made? = nil) throws -> PKCS12File.Identity {
        let text = try Data(contentsOf: URL(fileURLWithPath: (key ?? leaf).keyFile))
        let key = try PrivateKey(encoded: SecretBox(copying: Array(text)), passphrase: nil)
        return .init(key: key, certificate: leaf.certificate, label: label, keyIdentifier: nil)
    }

    @Test("openssl reads what is written, with the encryption that is promised")
    func openssl() throws {
        let file = try PKCS12File.pkcs12(
            of: identity("My Näme"), chain: [root.certificate], passphrase: secret("pass wörd"))
        try workshop.write("ours.p12", file.contents)
        let common = ["pkcs12", "-in", "ours.p12", "-passin", "pass:pass wörd"]
        let shown = String(decoding: try workshop.openssl(common + ["-nodes"]), as: UTF8.self)
        #expect(try Certificate.all(pem: Array(shown.utf8)) == [leaf.certificate, root.certificate])
        #expect(shown.contains("friendlyName: "))
        let key = try PrivateKey(encoded: secret(shown), passphrase: nil)
        #expect(try key == identity().key)
        try workshop.openssl(["asn1parse", "-inform", "DER", "-in", "ours.p12"])
        // Its description of the file goes to standard error.
        try run("sh", ["-c", "cd '\(workshop.path("."))' && openssl \(quoted(common + ["-info", "-noout"])) 2>info"])
        let information = String(decoding: try workshop.bytes("info"), as: UTF8.self)
        #expect(information.contains("MAC: sha256, Iteration 600000"))
        #expect(
            information.components(separatedBy: "PBES2, PBKDF2, AES-256-CBC, Iteration 600000, PRF hmacWithSHA256")
                .count == 3)
    }

    @Test("What is written is read again", arguments: ["", "x", "pass wörd", "🔑"])
    func roundTrip(passphrase: String) throws {
        let file = try PKCS12File.pkcs12(
            of: identity("Label"), chain: [root.certificate], passphrase: secret(passphrase), rounds: 1000)
        let found = try PKCS12File(pkcs12: file, passphrase: secret(passphrase))
        #expect(found.identities.first?.key == (try identity().key))
        #expect(found.identities.first?.label == "Label")
        #expect(found.certificates == [leaf.certificate, root.certificate])
        #expect(throws: CertificateFailure.wrongPassphrase) {
            try PKCS12File(pkcs12: file, passphrase: secret(passphrase + "."))
        }
    }

    @Test("A key with the certificate of another is not written, nor a passphrase that ends early elsewhere")
    func refusals() throws {
        #expect(throws: CertificateFailure.unreadable(reason: "Key and certificate do not belong together.")) {
            try PKCS12File.pkcs12(of: identity(key: root), chain: [], passphrase: secret("x"))
        }
        #expect(throws: CertificateFailure.unsupported(what: "a passphrase with a NUL")) {
            try PKCS12File.pkcs12(of: identity(), chain: [], passphrase: secret("a\0b"))
        }
    }

    private func quoted(_ arguments: [String]) -> String { arguments.map { "'\($0)'" }.joined(separator: " ") }
}

extension SecretBox {
    var contents: [UInt8] { withBytes { Array($0) } }
}
