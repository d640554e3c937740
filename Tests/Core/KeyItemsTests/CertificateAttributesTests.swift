import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

/// Certificates as items, with certificates that openssl made: Reference 5.4.
@Suite struct CertificateAttributesTests {
    private struct Issued {
        let root: Certificate
        let leaf: Certificate
        let authority: CertificateAuthority
    }

    private static func issued(_ algorithm: CertificateAuthority.Algorithm, extensions: [String]) throws -> Issued {
        let authority = try CertificateAuthority()
        let root = try authority.root("root", subject: "/O=Example/CN=The Root", algorithm)
        let leaf = try authority.issue(
            "leaf", subject: "/O=Example/CN=leaf of it", by: root, extensions: extensions, algorithm)
        return Issued(
            root: try Certificate(der: Array(root.certificate)), leaf: try Certificate(der: Array(leaf.certificate)),
            authority: authority)
    }

    private static let algorithms: [CertificateAuthority.Algorithm] = [.p256, .rsa2048]

    @Test("a new item has type, encoding, names, serial number, key and label", arguments: algorithms)
    func newItem(_ algorithm: CertificateAuthority.Algorithm) throws {
        let issued = try Self.issued(algorithm, extensions: ["subjectKeyIdentifier=hash"])
        let leaf = issued.leaf
        let key = try #require(leaf.publicKey)
        let expected: [String: PropertyValue] = [
            "ctyp": .integer(3), "cenc": .integer(3), "labl": .string("leaf of it"),
            "subj": .data(leaf.normalisedSubject), "issr": .data(issued.root.normalisedSubject),
            "slnr": .data(leaf.serialNumber), "pkhh": .data(key.digest), "skid": .data(key.digest),
        ]
        #expect(CertificateAttributes.ofNewItem(leaf).byColumn == expected)
        #expect(!leaf.serialNumber.isEmpty)
        #expect(leaf.normalisedSubject != leaf.normalisedIssuer)
    }

    @Test("a certificate of version 1 has no identifier of its key and says so by its type")
    func firstVersion() throws {
        let authority = try CertificateAuthority()
        let root = try authority.root("root", subject: "/CN=r")
        try authority.openssl([
            "req", "-new", "-key", root.keyFile, "-subj", "/CN=old", "-out", "old.csr",
        ])
        try authority.openssl([
            "x509", "-req", "-in", "old.csr", "-signkey", root.keyFile, "-set_serial", "0x1234", "-outform", "DER",
            "-out", "old.der",
        ])
        let der = try Data(contentsOf: authority.directory.appendingPathComponent("old.der"))
        let attributes = CertificateAttributes.ofNewItem(try Certificate(der: Array(der))).byColumn
        #expect(attributes["ctyp"] == .integer(1))
        #expect(attributes["slnr"] == .data([0x12, 0x34]))
        #expect(attributes["skid"] == nil)
    }

    @Test("a search names type, issuer and serial number", arguments: algorithms)
    func search(_ algorithm: CertificateAuthority.Algorithm) throws {
        let leaf = try Self.issued(algorithm, extensions: []).leaf
        #expect(
            CertificateAttributes.ofSearch(leaf).byColumn == [
                "ctyp": CertificateAttributes.ofNewItem(leaf).byColumn["ctyp"], "issr": .data(leaf.normalisedIssuer),
                "slnr": .data(leaf.serialNumber),
            ])
    }

    @Test("the hash of its key is the label of the key, so that both make an identity", arguments: algorithms)
    func identity(_ algorithm: CertificateAuthority.Algorithm) throws {
        let issued = try Self.issued(algorithm, extensions: [])
        let pem = try issued.authority.openssl(["pkey", "-in", "leaf.key", "-pubout"])
        let key = try PublicKey(pem: Array(pem))
        #expect(
            CertificateAttributes.ofNewItem(issued.leaf).byColumn["pkhh"]
                == KeyAttributes.ofNewItem(key).byColumn["klbl"])
        #expect(
            CertificateAttributes.ofNewItem(issued.root).byColumn["pkhh"]
                != KeyAttributes.ofNewItem(key).byColumn["klbl"])
    }

    @Test("every attribute is as its column stores it", arguments: algorithms)
    func columns(_ algorithm: CertificateAuthority.Algorithm) throws {
        let leaf = try Self.issued(algorithm, extensions: ["subjectKeyIdentifier=hash"]).leaf
        for (name, value) in CertificateAttributes.ofNewItem(leaf) {
            let column = try #require(ItemSchema.certificate[name], "\(name)")
            #expect(column.kind.stored(value) == value, "\(name)")
        }
    }
}
