import Foundation
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@testable import Security

/// Reference 6.7 and 6.9.
@Suite("Objects in the answer to a search")
struct ReferenceReplyTests {
    private let keychain = EnclaveKeychain()

    private func found(
        _ result: PropertyValue, secrets: [Data] = [], _ query: [CFString: Any] = [:]
    ) -> (status: OSStatus, object: CFTypeRef?) {
        keychain.answerItems(
            ItemReply(code: .success, result: result, secrets: secrets.map { SecretBox(copying: [UInt8]($0)) }))
        var object: CFTypeRef? = "before" as NSString
        let status = keychain.whileCurrent { SecItemCopyMatching(query as CFDictionary, &object) }
        return (status, object)
    }

    private func data(_ key: SecKey) throws -> Data {
        try #require(SecKeyCopyExternalRepresentation(key, nil) as Data?)
    }

    private func value(_ key: SecKey, secret: Int) -> PropertyValue {
        ItemObject.key(keyClass: key.isPrivate ? 1 : 0, type: key.isElliptic ? 73 : 42, dataSecret: secret).value
    }

    @Test("keys come back as keys", arguments: TestKeys.all)
    func keys(key: SecKey) throws {
        for half in [key, key.other] {
            let (status, object) = try found(value(half, secret: 0), secrets: [data(half)])
            #expect(status == errSecSuccess)
            #expect(object as! SecKey == half)
            #expect(CFGetTypeID(object) == SecKeyGetTypeID())
        }
    }

    @Test("lists and dictionaries hold objects")
    func collections() throws {
        let (p256, rsa) = (TestKeys.p256, TestKeys.rsa.other)
        let secrets = try [data(p256), data(rsa)]
        let list = found(.array([value(p256, secret: 0), value(rsa, secret: 1)]), secrets: secrets)
        #expect(list.object as? [SecKey] == [p256, rsa])
        let dictionary = found(
            .dictionary([
                "v_Ref": value(p256, secret: 0), "class": .string("keys"), "labl": .string("mine"),
                "v_Data": .secret(0),
            ]), secrets: secrets)
        let values = try #require(dictionary.object as? [CFString: Any])
        #expect(values[kSecValueRef] as! SecKey == p256)
        #expect(values[kSecValueData] as? Data == secrets[0])
        #expect(values[kSecAttrLabel] as? String == "mine")
    }

    @Test("certificates and identities come back as such")
    func certificates() throws {
        let secrets = [TestCertificates.keyData, TestCertificates.certificateData]
        let certificate = found(ItemObject.certificate(dataSecret: 1).value, secrets: secrets)
        #expect(certificate.object as! SecCertificate == TestCertificates.ofP256)
        #expect(CFGetTypeID(certificate.object) == SecCertificateGetTypeID())
        let identity = ItemObject.identity(
            key: .key(keyClass: 1, type: 73, dataSecret: 0), certificateSecret: 1)
        let object = found(identity.value, secrets: secrets).object
        #expect(object as! SecIdentity == TestCertificates.identity)
        #expect(CFGetTypeID(object) == SecIdentityGetTypeID())
    }

    @Test("an item whose data makes no object is found, without one")
    func noObject() throws {
        let secrets = try [Data([1, 2, 3]), data(TestKeys.p256), TestCertificates.certificateData, Data()]
        let without: [ItemObject] = [
            .key(keyClass: 1, type: 73, dataSecret: 0), .key(keyClass: 0, type: 73, dataSecret: 0),
            .key(keyClass: 1, type: 42, dataSecret: 1), .key(keyClass: 0, type: 73, dataSecret: 1),
            .key(keyClass: 2, type: 73, dataSecret: 1), .key(keyClass: 1, type: 17, dataSecret: 1),
            .key(keyClass: 1, type: 73, dataSecret: 3), .certificate(dataSecret: 0), .certificate(dataSecret: 3),
            .identity(key: .key(keyClass: 1, type: 73, dataSecret: 0), certificateSecret: 2),
            .identity(key: .key(keyClass: 1, type: 73, dataSecret: 1), certificateSecret: 0),
            // Of another key; of a public key.
            .identity(key: .key(keyClass: 1, type: 73, dataSecret: 1), certificateSecret: 2),
        ]
        for object in without {
            let bare = found(object.value, secrets: secrets)
            #expect(bare.status == errSecSuccess && bare.object == nil, "\(object)")
            let list = found(.array([object.value, value(TestKeys.p256, secret: 1)]), secrets: secrets)
            #expect(list.object as? [SecKey] == [TestKeys.p256], "\(object)")
            let dictionary = found(.dictionary(["v_Ref": object.value, "labl": .string("x")]), secrets: secrets)
            #expect((dictionary.object as? [String: Any])?.keys.sorted() == ["labl"], "\(object)")
        }
        let publicKey = try data(TestCertificates.key.other)
        let ofPublic = ItemObject.identity(key: .key(keyClass: 0, type: 73, dataSecret: 0), certificateSecret: 1)
        #expect(found(ofPublic.value, secrets: [publicKey, TestCertificates.certificateData]).object == nil)
    }

    @Test("a key of the enclave that went between search and answer is not found, and is left out of lists")
    func goneKey() throws {
        let secrets = try [data(TestKeys.p256), TestCertificates.certificateData]
        let gone: [ItemObject] = [
            .enclaveKey(blob: [1]), .identity(key: .enclaveKey(blob: [1]), certificateSecret: 1),
        ]
        for object in gone {
            let bare = found(object.value, secrets: secrets)
            #expect(bare.status == errSecItemNotFound && bare.object as? String == "before", "\(object)")
            let dictionary = found(.dictionary(["v_Ref": object.value, "labl": .string("x")]), secrets: secrets)
            #expect(dictionary.status == errSecItemNotFound, "\(object)")
            let list = found(.array([object.value, value(TestKeys.p256, secret: 0)]), secrets: secrets)
            #expect(list.object as? [SecKey] == [TestKeys.p256], "\(object)")
        }
    }

    @Test("an answer that makes no sense is an error and leaves the result alone")
    func nonsense() {
        for value: PropertyValue in [
            ItemObject.key(keyClass: 1, type: 73, dataSecret: 5).value, ItemObject.certificate(dataSecret: 0).value,
            .reference(kind: "SecKey", bytes: []),
            ItemObject.identity(key: .certificate(dataSecret: 0), certificateSecret: 0).value,
            .reference(kind: "SecKey", bytes: [1, 2]),
            .reference(kind: "SecTrust", bytes: []),
        ] {
            let (status, object) = found(.array([value]))
            #expect(status == errSecDecode)
            #expect(object as? String == "before")
        }
    }

    // MARK: Keys of the enclave

    /// A key that `keychain` has: its blob.
    private func blob(in keychain: EnclaveKeychain) -> [UInt8] {
        keychain.whileCurrent { _ = SecKeyCreateRandomKey(EnclaveKeyTests.parameters as CFDictionary, nil) }
        return Array("blob 0".utf8)
    }

    @Test("a key of the enclave comes back with its access control, and can be used")
    func enclave() throws {
        let value = ItemObject.enclaveKey(blob: blob(in: keychain)).value
        let key = try #require(found(value).object as? SecKey)
        let attributes = try #require(SecKeyCopyAttributes(key) as? [CFString: Any])
        #expect(attributes[kSecAttrAccessControl] as? SecAccessControl == EnclaveKeyTests.control)
        let signature = try #require(
            SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Data([1]) as CFData, nil))
        #expect(SecKeyVerifySignature(key.other, .ecdsaSignatureMessageX962SHA256, Data([1]) as CFData, signature, nil))
        #expect(keychain.interactions.allSatisfy { $0 == nil })
        #expect(found(value).object as? SecKey == key)
    }

    @Test("what the search said of asking goes for the uses of the key")
    func asking() throws {
        let value = ItemObject.enclaveKey(blob: blob(in: keychain)).value
        for (query, interaction): ([CFString: Any], Interaction) in [
            ([DeprecatedConstants.useOperationPrompt: "to log in"], Interaction(reason: "to log in")),
            ([kSecUseAuthenticationUI: kSecUseAuthenticationUISkip], Interaction(isAllowed: false)),
        ] {
            let key = try #require(found(value, query).object as? SecKey)
            _ = SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Data([1]) as CFData, nil)
            #expect(keychain.interactions.last == interaction)
        }
    }

    @Test("the context of the search serves the key, with what it says at each use")
    func context() throws {
        let made = TestContext()
        let value = ItemObject.enclaveKey(blob: blob(in: made.keys)).value
        let context = TestContext(reply: ItemReply(code: .success, result: value))
        _ = blob(in: context.keys)
        var object: CFTypeRef?
        keychain.whileCurrent {
            let query = [kSecClass: kSecClassKey, kSecReturnRef: true, kSecUseAuthenticationContext: context]
            #expect(SecItemCopyMatching(query as CFDictionary, &object) == errSecSuccess)
        }
        let key = try #require(object as? SecKey)
        func sign() -> CFData? {
            SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Data([1]) as CFData, nil)
        }
        #expect(sign() != nil)
        #expect(context.keys.interactions.last == Interaction(reason: "to test"))
        context.interaction = Interaction(isAllowed: false, reuseSeconds: 5)
        #expect(sign() != nil)
        #expect(context.keys.interactions.last == Interaction(isAllowed: false, reuseSeconds: 5))
        #expect(keychain.requests.isEmpty && keychain.itemRequests.isEmpty)
    }

    @Test("the context of its making serves a key, and its storing")
    func contextOfMaking() throws {
        let context = TestContext()
        context.interaction = Interaction()
        var parameters = EnclaveKeyTests.parameters
        parameters[kSecUseAuthenticationContext] = context
        parameters[kSecAttrIsPermanent] = true
        parameters[DeprecatedConstants.useOperationPrompt] = "to make it"
        let key = try #require(keychain.whileCurrent { SecKeyCreateRandomKey(parameters as CFDictionary, nil) })
        // Permanence at the top level is about both halves.
        #expect(context.requests.map(\.operation) == [.add, .add])
        #expect(SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Data([1]) as CFData, nil) != nil)
        #expect(context.keys.interactions == [Interaction(reason: "to make it"), Interaction(reason: "to make it")])
        #expect(keychain.requests.isEmpty && keychain.itemRequests.isEmpty)
        let named: [CFString: Any] = [
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrTokenOID: Data("blob 0".utf8),
            kSecUseAuthenticationContext: context,
        ]
        #expect(SecKeyCreateWithData(Data() as CFData, named as CFDictionary, nil) == key)
    }

    @Test("a context that ended serves no key")
    func ended() throws {
        let context = TestContext()
        var parameters = EnclaveKeyTests.parameters
        parameters[kSecUseAuthenticationContext] = context
        let key = try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
        context.keys.fail(.authFailed, EndedSession.refusal)
        var error: Unmanaged<CFError>?
        #expect(SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Data([1]) as CFData, &error) == nil)
        let thrown = try #require(error?.takeRetainedValue())
        #expect(thrown.code == -25293)
        #expect(thrown.userInfo["NSDebugDescription"] as? String == "context-ended")
    }
}
