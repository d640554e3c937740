import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Testing

@testable import Security

/// Reference 6.9.
@Suite("Objects under kSecValueRef in a query")
struct ReferenceQueryTests {
    private let keychain = EnclaveKeychain()

    /// Returns the request of each of the four calls; an update has the reference in its query.
    private func asked(_ query: [CFString: Any], _ operation: ItemOperation) throws -> ItemRequest {
        let before = keychain.itemRequests.count
        keychain.whileCurrent { () -> Void in
            switch operation {
            case .add: SecItemAdd(query as CFDictionary, nil)
            case .find: SecItemCopyMatching(query as CFDictionary, nil)
            case .update: SecItemUpdate(query as CFDictionary, [kSecAttrLabel: "new"] as CFDictionary)
            case .delete: SecItemDelete(query as CFDictionary)
            }
        }
        try #require(keychain.itemRequests.count == before + 1)
        let request = keychain.itemRequests[before]
        #expect(request.operation == operation)
        #expect(Set(request.query.map(\.key)).count == request.query.count)
        return request
    }

    private static let searches: [ItemOperation] = [.find, .update, .delete]

    private func enclaveKey() throws -> SecKey {
        try #require(keychain.whileCurrent { SecKeyCreateRandomKey(EnclaveKeyTests.parameters as CFDictionary, nil) })
    }

    @Test("a key that is added has all its attributes, and its data as a secret", arguments: TestKeys.all)
    func addedKey(key: SecKey) throws {
        for half in [key, key.other] {
            let request = try asked([kSecValueRef: half], .add)
            var expected =
                switch half.content {
                case .privateKey(let key): KeyAttributes.ofNewItem(key).byColumn
                default: KeyAttributes.ofNewItem(half.publicKey).byColumn
                }
            expected["class"] = .string("keys")
            expected["v_Data"] = .secret(0)
            #expect(request.queryByName == expected)
            let data = try #require(SecKeyCopyExternalRepresentation(half, nil) as Data?)
            #expect(request.secrets.map(\.bytesForTests) == [[UInt8](data)])
        }
    }

    @Test("a key that is searched for is named by class, label, type and size alone", arguments: searches)
    func searchedKey(operation: ItemOperation) throws {
        for (key, keyClass) in [(TestKeys.p384, Int64(1)), (TestKeys.p384.other, 0)] {
            let request = try asked([kSecValueRef: key], operation)
            #expect(
                request.queryByName == [
                    "class": .string("keys"), "kcls": .integer(keyClass), "klbl": .data(key.publicKey.digest),
                    "type": .integer(73), "bsiz": .integer(384),
                ])
            #expect(request.secrets.isEmpty)
        }
    }

    @Test("the caller's own attributes win")
    func ownAttributes() throws {
        let own: [CFString: Any] = [
            kSecValueRef: TestKeys.p256, kSecClass: kSecClassGenericPassword, kSecAttrApplicationLabel: Data([1]),
            kSecAttrKeySizeInBits: 5, kSecAttrCanSign: false, kSecAttrApplicationTag: "tag",
        ]
        for operation in ItemOperation.allCases {
            let values = try asked(own, operation).queryByName
            // A class that contradicts is left to the service, which knows no such attribute of it.
            #expect(values["class"] == .string("genp"))
            #expect(values["klbl"] == .data([1]))
            #expect(values["bsiz"] == .integer(5))
            #expect(values["sign"] == .boolean(false))
            #expect(values["atag"] == .string("tag"))
            #expect(values["type"] == .integer(73))
            #expect(values["v_Ref"] == nil)
        }
        let request = try asked([kSecValueRef: TestKeys.p256, kSecValueData: Data([7])], .add)
        #expect(request.queryByName["v_Data"].map { [$0] } == [.secret(0)])
        #expect(request.secrets.first?.bytesForTests == [7])
    }

    @Test("a key of the enclave is added by its blob and found by its label")
    func enclave() throws {
        let key = try enclaveKey()
        let added = try asked([kSecValueRef: key, kSecAttrLabel: "mine"], .add)
        var expected = KeyAttributes.ofNewEnclaveItem(label: key.publicKey.digest).byColumn
        expected["class"] = .string("keys")
        expected["toid"] = .data(Array("blob 0".utf8))
        expected["labl"] = .string("mine")
        #expect(added.queryByName == expected)
        #expect(added.secrets.isEmpty)
        for operation in Self.searches {
            #expect(
                try asked([kSecValueRef: key], operation).queryByName == [
                    "class": .string("keys"), "kcls": .integer(1), "klbl": .data(key.publicKey.digest),
                    "type": .integer(73), "bsiz": .integer(256), "tkid": .string("com.apple.setoken"),
                ])
        }
        // Its public half is an ordinary key.
        #expect(try asked([kSecValueRef: key.other], .add).queryByName["tkid"] == nil)
    }

    @Test("a certificate stands for its attributes, and its data when it is added")
    func certificate() throws {
        let certificate = TestCertificates.certificate
        let added = try asked([kSecValueRef: TestCertificates.ofP256, kSecAttrAccessGroup: "g"], .add)
        var expected = CertificateAttributes.ofNewItem(certificate).byColumn
        expected["class"] = .string("cert")
        expected["agrp"] = .string("g")
        expected["v_Data"] = .secret(0)
        #expect(added.queryByName == expected)
        #expect(added.secrets.map(\.bytesForTests) == [certificate.der])
        expected = CertificateAttributes.ofSearch(certificate).byColumn
        expected["class"] = .string("cert")
        for operation in Self.searches {
            let request = try asked([kSecValueRef: TestCertificates.ofP256], operation)
            #expect(request.queryByName == expected)
            #expect(request.secrets.isEmpty)
        }
    }

    @Test("an identity is added as its two parts, and found by issuer, serial number and label")
    func identity() throws {
        let certificate = TestCertificates.certificate
        let added = try asked([kSecValueRef: TestCertificates.identity, kSecAttrLabel: "mine"], .add)
        let values = added.queryByName
        #expect(Set(values.keys) == ["class", "labl", "v_Ref"])
        #expect(values["class"] == .string("idnt"))
        #expect(values["labl"] == .string("mine"))
        let parts = try #require(values["v_Ref"].flatMap { IdentityReference($0) })
        var ofCertificate = CertificateAttributes.ofNewItem(certificate).byColumn
        ofCertificate["v_Data"] = .data(certificate.der)
        #expect(parts.certificate == ofCertificate)
        guard case .privateKey(let key) = TestCertificates.key.content else {
            Issue.record("no private key")
            return
        }
        var ofKey = KeyAttributes.ofNewItem(key).byColumn
        ofKey["v_Data"] = .secret(0)
        #expect(parts.key == ofKey)
        #expect(added.secrets.map(\.bytesForTests) == [[UInt8](TestCertificates.keyData)])
        for operation in Self.searches {
            let request = try asked([kSecValueRef: TestCertificates.identity], operation)
            #expect(
                request.queryByName == [
                    "class": .string("idnt"), "issr": .data(certificate.normalisedIssuer),
                    "slnr": .data(certificate.serialNumber), "klbl": .data(key.publicKey.digest),
                ])
            #expect(request.secrets.isEmpty)
        }
    }

    @Test("an identity with a key of the enclave names its blob")
    func enclaveIdentity() throws {
        let key = try enclaveKey()
        let identity = SecIdentity(certificate: TestCertificates.ofP256, key: key)
        let added = try asked([kSecValueRef: identity], .add)
        let parts = try #require(added.queryByName["v_Ref"].flatMap { IdentityReference($0) })
        #expect(parts.key["toid"] == .data(Array("blob 0".utf8)))
        #expect(parts.key["v_Data"] == nil)
        #expect(added.secrets.isEmpty)
    }

    @Test("in the changes of an update a reference stands for what its item would have, other than the class")
    func changes() throws {
        func changed(to object: Any) throws -> ItemRequest {
            keychain.whileCurrent {
                _ = SecItemUpdate(
                    [kSecClass: kSecClassKey] as CFDictionary,
                    [kSecValueRef: object, kSecAttrCanSign: false] as CFDictionary)
            }
            return try #require(keychain.itemRequests.last)
        }
        let ofKey = try changed(to: TestKeys.p256)
        #expect(ofKey.changesByName["class"] == nil)
        #expect(ofKey.changesByName["klbl"] == .data(TestKeys.p256.publicKey.digest))
        #expect(ofKey.changesByName["sign"] == .boolean(false))
        #expect(ofKey.changesByName["v_Data"] == .secret(0))
        #expect(ofKey.secrets.count == 1)
        #expect(try changed(to: TestCertificates.ofP256).changesByName["issr"] != nil)
        // Nothing can become an identity: the service refuses the object by its name.
        #expect(
            try changed(to: TestCertificates.identity).changesByName["v_Ref"]
                == .reference(kind: "SecIdentity", bytes: []))
    }

    @Test("other objects are only named, for the service to refuse")
    func others() throws {
        for operation in ItemOperation.allCases {
            for (object, value): (Any, PropertyValue) in [
                ("text", .string("text")), (Data([1]), .data([1])), (NSNull(), .null),
                ([TestKeys.p256], .array([.reference(kind: "SecKey", bytes: [])])),
                (NSObject(), .reference(kind: "NSObject", bytes: [])),
            ] {
                #expect(try asked([kSecValueRef: object], operation).queryByName == ["v_Ref": value])
            }
        }
        // Under other names the objects mean nothing.
        #expect(
            try asked([kSecAttrLabel: TestKeys.p256], .find).queryByName == [
                "labl": .reference(kind: "SecKey", bytes: [])
            ])
    }

    @Test("policies and issuers to match travel as what they say")
    func matching() throws {
        let policies = [SecPolicyCreateBasicX509(), SecPolicyCreateSSL(true, "www.example.com" as CFString)]
        for policy in policies {
            let query: [CFString: Any] = [
                kSecClass: kSecClassIdentity, kSecMatchPolicy: policy, kSecMatchIssuers: [Data([0x30, 0]), Data([1])],
                kSecMatchTrustedOnly: true, kSecMatchValidOnDate: NSNull(),
            ]
            let values = try asked(query, .find).queryByName
            #expect(values["m_Policy"].flatMap { PolicyReference.policy($0) } == policy.policy)
            #expect(values["m_Issuers"] == .array([.data([0x30, 0]), .data([1])]))
            #expect(values["m_TrustedOnly"] == .boolean(true))
            #expect(values["m_ValidOnDate"] == .null)
        }
    }
}
