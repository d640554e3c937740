import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyCryptoSuite
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

extension TestKeychain {
    /// Adds a certificate in the form of the face: all attributes, and its bytes.
    @discardableResult
    func store(_ certificate: Certificate, _ more: [String: PropertyValue] = [:]) -> ItemReply {
        call(
            .add, .certificate, CertificateAttributes.ofNewItem(certificate).byColumn.merging(more) { $1 },
            data: certificate.der
        )
    }

    /// Sets the clock to now: certificates that openssl makes are valid from then on.
    func setClockToNow() {
        clock.setWallTime(Date().timeIntervalSinceReferenceDate + 60)
    }
}

extension CertificateAuthority.Issued {
    var parsed: Certificate { get throws { try Certificate(der: Array(certificate)) } }

    var key: PrivateKey {
        get throws {
            let text = try Data(contentsOf: URL(fileURLWithPath: keyFile))
            return try PrivateKey(encoded: SecretBox(copying: Array(text)), passphrase: nil)
        }
    }
}

@Suite("Certificates as items")
struct CertificateItemTests {
    private static let everything: [String: PropertyValue] = [
        "r_Attributes": .boolean(true), "r_Data": .boolean(true), "r_Ref": .boolean(true),
        "r_PersistentRef": .boolean(true),
    ]

    @Test("a certificate comes back as it went in, with its attributes and as an object")
    func roundTrip() throws {
        let keychain = try TestKeychain()
        let authority = try CertificateAuthority()
        let certificate = try authority.root("root", subject: "/O=Example/CN=Root").parsed
        let added = keychain.store(certificate, Self.everything)
        let found = keychain.call(
            .find, .certificate, CertificateAttributes.ofSearch(certificate).byColumn.merging(Self.everything) { $1 })
        for reply in [added, found] {
            #expect(reply.code == .success)
            #expect(reply.data("v_Data") == certificate.der)
            #expect(reply.object == .certificate(dataSecret: 0))
            #expect(reply.attributes["labl"] == .string("Root"))
            #expect(reply.attributes["ctyp"] == .integer(3) && reply.attributes["cenc"] == .integer(3))
            #expect(reply.attributes["pkhh"] == .data(certificate.publicKeyDigest))
            // A certificate is not a secret: it is there while the device is locked (Reference 5.1).
            #expect(reply.attributes["pdmn"] == .string("dk"))
            #expect(reply.attributes["class"] == .string("cert"))
        }
        #expect(keychain.store(certificate).code == .duplicateItem)
        #expect(keychain.store(certificate, ["labl": .string("other")]).code == .duplicateItem)
        #expect(keychain.store(certificate, ["agrp": .string("h")]).code == .success)
        #expect(keychain.store(certificate, ["sync": .boolean(true)]).code == .success)
        for name in ["issr", "slnr", "subj", "pkhh", "skid", "labl"] {
            let value = try #require(found.attributes[name], "\(name)")
            #expect(keychain.count(.certificate, [name: value]) == 2, "\(name)")
        }
    }

    @Test("raw bytes are stored unread: two without attributes are one item")
    func raw() throws {
        let keychain = try TestKeychain()
        let authority = try CertificateAuthority()
        let one = try authority.root("a", subject: "/CN=A").parsed
        let other = try authority.root("b", subject: "/CN=B").parsed
        #expect(keychain.call(.add, .certificate, data: one.der).code == .success)
        #expect(keychain.call(.add, .certificate, data: other.der).code == .duplicateItem)
        let found = keychain.call(.find, .certificate, Self.everything)
        #expect(found.data("v_Data") == one.der && found.object == .certificate(dataSecret: 0))
        #expect(found.attributes["issr"] == .data([]) && found.attributes["pkhh"] == nil)
    }

    @Test("a locked device has the certificates of its open classes")
    func locked() throws {
        let stage = try AuthenticationStage()
        let authority = try CertificateAuthority()
        let open = try authority.root("a", subject: "/CN=A").parsed
        let closed = try authority.root("b", subject: "/CN=B").parsed
        #expect(stage.keychain.store(open).code == .success)
        #expect(stage.keychain.store(closed, ["pdmn": .string("ak")]).code == .success)
        stage.lock()
        #expect(stage.keychain.call(.find, .certificate, ["labl": .string("A")]).code == .success)
        #expect(stage.keychain.call(.find, .certificate, ["labl": .string("B")]).code == .interactionNotAllowed)
        #expect(stage.keychain.call(.delete, .certificate).affectedRows == 2)
    }

    @Test("updates and deletes of certificates")
    func changes() throws {
        let keychain = try TestKeychain()
        let authority = try CertificateAuthority()
        let certificate = try authority.root("a", subject: "/CN=A").parsed
        #expect(keychain.store(certificate).code == .success)
        let query = CertificateAttributes.ofSearch(certificate).byColumn
        #expect(keychain.call(.update, .certificate, query, changes: ["labl": .string("new")]).code == .success)
        #expect(keychain.call(.find, .certificate, ["labl": .string("new")]).code == .success)
        #expect(keychain.call(.update, .certificate, query, changes: ["atag": .string("x")]).code == .noSuchAttr)
        #expect(keychain.call(.delete, .certificate, ["labl": .string("A")]).code == .itemNotFound)
        #expect(keychain.call(.delete, .certificate, query).code == .success)
        #expect(keychain.count(.certificate) == 0)
    }

    /// A name of one common name, as DER; a printable text has a normalised form of its own.
    private static func name(_ text: String) -> [UInt8] {
        func wrapped(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }
        let attribute = wrapped(0x06, [0x55, 0x04, 0x03]) + wrapped(0x13, Array(text.utf8))
        return wrapped(0x30, wrapped(0x31, wrapped(0x30, attribute)))
    }

    @Test("an issuer is found in any form of its name, however it was stored")
    func issuers() throws {
        let keychain = try TestKeychain()
        let forms = [Self.name("An Issuer"), Self.name("AN ISSUER")]
        let others = [Self.name("Another"), Self.name("ANOTHER")]
        #expect(keychain.call(.add, .certificate, ["issr": .data(forms[0])], data: [1]).code == .success)
        #expect(keychain.call(.add, .certificate, ["issr": .data(forms[1])], data: [1]).code == .duplicateItem)
        for form in forms { #expect(keychain.count(.certificate, ["issr": .data(form)]) == 1) }
        let changes: [String: PropertyValue] = ["issr": .data(others[0])]
        #expect(keychain.call(.update, .certificate, changes: changes).code == .success)
        for form in others { #expect(keychain.count(.certificate, ["issr": .data(form)]) == 1) }
        for form in forms { #expect(keychain.count(.certificate, ["issr": .data(form)]) == 0) }
        // Bytes that are not a name stay as they are.
        #expect(keychain.call(.update, .certificate, changes: ["issr": .data([1, 2, 3])]).code == .success)
        #expect(keychain.call(.find, .certificate, Self.everything).attributes["issr"] == .data([1, 2, 3]))
        #expect(keychain.count(.certificate, ["issr": .data([1, 2, 3])]) == 1)
    }
}
