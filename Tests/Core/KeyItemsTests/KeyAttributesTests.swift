import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// Keys as items: Reference 9.6.
@Suite struct KeyAttributesTests {
    /// A column of the table: kind of key, and its flags in the order of `flags`.
    struct Flags: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: KeyKind
        let isPrivate: Bool
        let values: [Int64]
    }

    private static let flags = [
        "perm", "priv", "modi", "sens", "asen", "next", "extr", "encr", "decr", "drve", "sign", "vrfy", "snrc", "vyrc",
        "wrap", "unwp",
    ]

    private static let ellipticPrivate: [Int64] = [1, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1]
    private static let ellipticPublic: [Int64] = [1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0]

    private static let table =
        [Curve.p256, .p384, .p521].flatMap { curve in
            [
                Flags(
                    testDescription: "P-\(curve.rawValue), private", kind: .ellipticCurve(curve), isPrivate: true,
                    values: ellipticPrivate),
                Flags(
                    testDescription: "P-\(curve.rawValue), public", kind: .ellipticCurve(curve), isPrivate: false,
                    values: ellipticPublic),
            ]
        } + [
            Flags(
                testDescription: "RSA, private", kind: .rsa(bits: 1024), isPrivate: true,
                values: [1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1]),
            Flags(
                testDescription: "RSA, public", kind: .rsa(bits: 1024), isPrivate: false,
                values: [1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 0]),
        ]

    @Test("a new item has the attributes of its kind of key, and no others", arguments: table)
    func newItem(_ row: Flags) throws {
        let key = try PrivateKey(generating: row.kind)
        var expected = Dictionary(uniqueKeysWithValues: zip(Self.flags, row.values.map { PropertyValue.integer($0) }))
        expected["kcls"] = .integer(row.isPrivate ? 1 : 0)
        expected["type"] = .integer(row.kind.type == .rsa ? 42 : 73)
        let bits = Int64(row.kind.sizeInBits)
        expected["bsiz"] = .integer(bits)
        expected["esiz"] = .integer(bits)
        expected["klbl"] = .data(key.publicKey.digest)
        #expect(
            (row.isPrivate ? KeyAttributes.ofNewItem(key).byColumn : KeyAttributes.ofNewItem(key.publicKey).byColumn)
                == expected)
    }

    @Test("a key of the enclave is sensitive, cannot be taken out, and names its token")
    func enclaveItem() throws {
        let key = try PrivateKey(generating: .ellipticCurve(.p256))
        var expected = KeyAttributes.ofNewItem(key).byColumn
        for name in ["sens", "asen", "next"] { expected[name] = .integer(1) }
        expected["extr"] = .integer(0)
        expected["tkid"] = .string("com.apple.setoken")
        #expect(KeyAttributes.ofNewEnclaveItem(label: key.publicKey.digest).byColumn == expected)
    }

    @Test(
        "a search names class, label, type and size",
        arguments: [KeyAttributes.publicClass, KeyAttributes.privateClass])
    func search(_ keyClass: Int64) throws {
        let key = try PrivateKey(generating: .ellipticCurve(.p384)).publicKey
        #expect(
            KeyAttributes.ofSearch(key, keyClass: keyClass).byColumn == [
                "kcls": .integer(keyClass), "klbl": .data(key.digest), "type": .integer(73), "bsiz": .integer(384),
            ])
    }

    @Test("every attribute is as its column stores it", arguments: table)
    func columns(_ row: Flags) throws {
        let key = try PrivateKey(generating: row.kind)
        var all = [KeyAttributes.ofNewItem(key), KeyAttributes.ofNewItem(key.publicKey)]
        if row.kind == .ellipticCurve(.p256) { all.append(KeyAttributes.ofNewEnclaveItem(label: key.publicKey.digest)) }
        for (name, value) in all.joined() {
            let column = try #require(ItemSchema.key[name], "\(name)")
            #expect(column.kind.stored(value) == value, "\(name)")
        }
    }

    @Test(
        "the label of both halves is the hash that openssl gives the key's subject key identifier",
        arguments: [KeyKind.ellipticCurve(.p256), .ellipticCurve(.p521), .rsa(bits: 2048)])
    func label(_ kind: KeyKind) throws {
        let key = try PrivateKey(generating: kind)
        let authority = try CertificateAuthority()
        let path = authority.directory.appendingPathComponent("own.key").path
        try key.pem(passphrase: nil).withBytes { try Data($0).write(to: URL(fileURLWithPath: path)) }
        try authority.openssl([
            "req", "-x509", "-key", path, "-subj", "/CN=x", "-addext", "subjectKeyIdentifier=hash", "-out", "own.pem",
        ])
        let said = try authority.openssl(["x509", "-in", "own.pem", "-noout", "-ext", "subjectKeyIdentifier"])
        let line = try #require(String(decoding: said, as: UTF8.self).split(separator: "\n").last)
        let identifier = line.trimmingCharacters(in: .whitespaces).split(separator: ":").compactMap {
            UInt8($0, radix: 16)
        }
        #expect(identifier.count == 20)
        #expect(KeyAttributes.ofNewItem(key).byColumn["klbl"] == .data(identifier))
        #expect(KeyAttributes.ofNewItem(key.publicKey).byColumn["klbl"] == .data(identifier))
    }
}
