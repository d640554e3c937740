import Foundation
import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Synchronization
import Testing

@testable import Security

/// Reference 11, against a scripted enclave whose keys are real.
@Suite("Keys of the enclave")
struct EnclaveKeyTests {
    static let control = SecAccessControlCreateWithFlags(
        nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.privateKeyUsage, .userPresence], nil)!
    /// For a key that becomes no item.
    static var parameters: [CFString: Any] {
        [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs: [kSecAttrAccessControl: control, kSecAttrIsPermanent: false] as [CFString: Any],
        ]
    }

    private let keychain = EnclaveKeychain()

    private func made(_ changes: [CFString: Any?] = [:]) -> (key: SecKey?, error: NSError?) {
        var parameters = Self.parameters
        for (name, value) in changes { parameters[name] = value }
        var error: Unmanaged<CFError>?
        let key = keychain.whileCurrent { SecKeyCreateRandomKey(parameters as CFDictionary, &error) }
        return (key, error?.takeRetainedValue())
    }

    private func key() throws -> SecKey { try #require(made().key) }

    /// The access control that the enclave was asked for.
    private func asked() throws -> AccessControl {
        try #require(keychain.requests.last as? CreateEnclaveKey).accessControl
    }

    @Test("the enclave is told the access control, and a key that is not permanent becomes no item")
    func creation() throws {
        #expect(made().error == nil)
        #expect(try asked() == Self.control.rules)
        #expect(keychain.itemRequests.isEmpty)
        #expect(keychain.interactions == [nil])
    }

    @Test("without an access control there is one of the protection class alone")
    func withoutControl() throws {
        let table: [(CFString?, ProtectionClass)] = [
            (nil, .whenUnlocked), (kSecAttrAccessibleAfterFirstUnlock, .afterFirstUnlock),
            (DeprecatedConstants.accessibleAlways, .always),
        ]
        for (name, protection) in table {
            let ofKey: [CFString: Any] = [kSecAttrIsPermanent: false]
            _ = made([kSecPrivateKeyAttrs: ofKey, kSecAttrAccessible: name])
            #expect(try asked() == AccessControl(protection: protection, flags: .privateKeyUsage))
        }
    }

    @Test("the top level overrides what is said of the private key")
    func topLevel() throws {
        let other = try #require(
            SecAccessControlCreateWithFlags(nil, DeprecatedConstants.accessibleAlways, .privateKeyUsage, nil))
        _ = made([kSecAttrAccessControl: other, kSecAttrIsPermanent: true])
        #expect(try asked() == other.rules)
        #expect(keychain.itemRequests.count == 2)
        _ = made([
            kSecAttrIsPermanent: false, kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true] as [CFString: Any],
        ])
        #expect(keychain.itemRequests.count == 2)
    }

    @Test("what the enclave does not make is refused before it is asked")
    func refused() {
        let table: [([CFString: Any?], Int)] = [
            ([kSecAttrKeySizeInBits: 384], -50), ([kSecAttrKeySizeInBits: 521], -50),
            ([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048], -50), ([kSecAttrKeyType: nil], -50),
            ([kSecAttrAccessControl: "ak"], -50), ([kSecAttrAccessible: "nonsense"], -50),
            ([kSecAttrAccessible: DeprecatedConstants.accessibleAlways], -50), ([kSecAttrAccessible: 5], -50),
            ([kSecAttrTokenID: "com.example.token"], -25300), ([kSecAttrTokenID: 5], -25300),
            ([kSecUseAuthenticationContext: NSObject()], -25293),
        ]
        for (changes, code) in table {
            let (key, error) = made(changes)
            #expect(key == nil)
            #expect(error?.code == code, "\(changes)")
            #expect(error?.localizedFailureReason?.isEmpty == false)
        }
        #expect(keychain.requests.isEmpty)
    }

    @Test("the protection class of the access control may stand beside it")
    func sameClass() {
        #expect(made([kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly]).error == nil)
    }

    @Test("unless it is told otherwise the private key becomes an item, and the public key does not")
    func stored() throws {
        let ofKey: [CFString: Any] = [
            kSecAttrAccessControl: Self.control, kSecAttrApplicationTag: Data([1, 2]), kSecAttrLabel: "mine",
        ]
        let key = try #require(made([kSecPrivateKeyAttrs: ofKey]).key)
        try #require(keychain.itemRequests.count == 1)
        let request = keychain.itemRequests[0]
        let values = request.queryByName
        #expect(request.operation == .add)
        #expect(request.secrets.isEmpty && values["v_Data"] == nil)
        #expect(values["class"] == .string("keys"))
        #expect(values["tkid"] == .string("com.apple.setoken"))
        #expect(values["toid"] == .data(Array("blob 0".utf8)))
        #expect(values["klbl"] == .data(key.publicKey.digest))
        #expect(values["atag"] == .data([1, 2]))
        #expect(values["labl"] == .string("mine"))
        // The key is guarded, not its row.
        #expect(values["accc"] == nil && values["pdmn"] == nil)
        #expect(request.query.count == values.count)
    }

    @Test("the public key becomes an ordinary item where that is asked for it, by itself or for both")
    func publicItem() throws {
        for (ofPublic, count): ([CFString: Any], Int) in [
            ([kSecAttrIsPermanent: true, kSecAttrLabel: "theirs"], 1), ([kSecAttrIsPermanent: false], 0), ([:], 0),
        ] {
            let keychain = EnclaveKeychain()
            var parameters = Self.parameters
            parameters[kSecPublicKeyAttrs] = ofPublic
            parameters[kSecAttrApplicationTag] = "tag"
            _ = keychain.whileCurrent { SecKeyCreateRandomKey(parameters as CFDictionary, nil) }
            #expect(keychain.itemRequests.count == count)
            guard let values = keychain.itemRequests.first?.queryByName else { continue }
            #expect(values["kcls"] == .integer(0))
            #expect(values["labl"] == .string("theirs"))
            #expect(values["atag"] == .string("tag"))
            #expect(values["tkid"] == nil && values["toid"] == nil && values["accc"] == nil)
            #expect(values["v_Data"] == .secret(0))
        }
        // Permanence at the top level is about both keys, the public one first.
        _ = made([kSecAttrIsPermanent: true])
        #expect(keychain.itemRequests.map { $0.queryByName["kcls"] } == [.integer(0), .integer(1)])
        let ofBoth = EnclaveKeychain()
        var parameters = Self.parameters
        parameters[kSecAttrIsPermanent] = true
        parameters[kSecPublicKeyAttrs] = [kSecAttrIsPermanent: false]
        _ = ofBoth.whileCurrent { SecKeyCreateRandomKey(parameters as CFDictionary, nil) }
        #expect(ofBoth.itemRequests.isEmpty == false)
        #expect(ofBoth.itemRequests.allSatisfy { $0.queryByName["kcls"] == .integer(1) })
    }

    @Test("where storing fails there is no key")
    func storingFails() {
        keychain.answerItems(ItemReply(code: .missingEntitlement))
        let (key, error) = made([kSecAttrIsPermanent: true])
        #expect(key == nil)
        #expect(error?.code == -34018)
    }

    @Test("the private half never leaves, the public one does")
    func representation() throws {
        let key = try key()
        var error: Unmanaged<CFError>?
        #expect(SecKeyCopyExternalRepresentation(key, &error) == nil)
        #expect(error?.takeRetainedValue().code == -4)
        #expect(SecKeyCopyExternalRepresentation(key, nil) == nil)
        let point = try #require(SecKeyCopyExternalRepresentation(key.other, nil) as Data?)
        #expect(point.count == 65)
        #expect(SecKeyGetBlockSize(key) == 32)
        #expect(CFGetTypeID(key) == SecKeyGetTypeID())
        #expect("\(key)".contains("in the enclave"))
    }

    @Test("its attributes are those of a key that cannot be extracted, with token, blob and access control")
    func attributes() throws {
        let key = try key()
        let attributes = try #require(SecKeyCopyAttributes(key) as? [CFString: Any])
        #expect(attributes[kSecClass] as? String == "keys")
        #expect(attributes[kSecAttrKeyType] as? String == kSecAttrKeyTypeEC as String)
        #expect(attributes[kSecAttrKeyClass] as? String == kSecAttrKeyClassPrivate as String)
        #expect(attributes[kSecAttrTokenID] as? String == kSecAttrTokenIDSecureEnclave as String)
        #expect(attributes[kSecAttrTokenOID] as? Data == Data("blob 0".utf8))
        #expect(attributes[kSecAttrAccessControl] as? SecAccessControl == Self.control)
        #expect(attributes[kSecAttrApplicationLabel] as? Data == Data(key.publicKey.digest))
        #expect(attributes[kSecAttrKeySizeInBits] as? Int == 256)
        let flags: [(CFString, Bool)] = [
            (kSecAttrIsPermanent, true), (kSecAttrIsPrivate, true), (kSecAttrIsSensitive, true),
            (kSecAttrWasAlwaysSensitive, true), (kSecAttrIsExtractable, false), (kSecAttrWasNeverExtractable, true),
            (kSecAttrCanSign, true), (kSecAttrCanDecrypt, true), (kSecAttrCanDerive, true), (kSecAttrCanVerify, false),
            (kSecAttrCanEncrypt, false),
        ]
        for (name, value) in flags { #expect(attributes[name] as? Bool == value, "\(name)") }
        #expect(attributes[kSecValueData] == nil)
        let ofPublic = try #require(SecKeyCopyAttributes(key.other) as? [CFString: Any])
        #expect(ofPublic[kSecAttrTokenID] == nil && ofPublic[kSecAttrTokenOID] == nil)
    }

    @Test("its blob brings it back, and nothing else makes a key of the enclave")
    func restored() throws {
        let key = try key()
        let blob = Data("blob 0".utf8)
        func restored(_ data: Data, _ attributes: [CFString: Any]) -> (SecKey?, Int?) {
            var error: Unmanaged<CFError>?
            let key = keychain.whileCurrent { SecKeyCreateWithData(data as CFData, attributes as CFDictionary, &error) }
            return (key, error?.takeRetainedValue().code)
        }
        let named: [CFString: Any] = [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrTokenOID: blob]
        let (copy, code) = restored(Data(), named)
        #expect(code == nil)
        #expect(copy == key)
        #expect(copy?.hash == key.hash)
        #expect(copy != key.other)
        let attributes = try #require(SecKeyCopyAttributes(key))
        #expect(restored(Data(), attributes as! [CFString: Any]).0 == key)
        let bytes = try #require(SecKeyCopyExternalRepresentation(TestKeys.p256, nil) as Data?)
        let table: [(Data, [CFString: Any], Int)] = [
            (
                bytes, [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrKeyType: "73", kSecAttrKeyClass: "1"],
                -50
            ),
            (bytes, [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrTokenOID: "blob 0"], -50),
            (Data(), [kSecAttrTokenID: "com.example.token", kSecAttrTokenOID: blob], -25300),
            (Data(), [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrTokenOID: Data("other".utf8)], -25300),
        ]
        for (data, attributes, code) in table {
            let (key, found) = restored(data, attributes)
            #expect(key == nil && found == code)
        }
        // The enclave has keys of other kinds than P-256: no SecKey.
        for byteCount in [1184, 1568, 1952, 2592] {
            let description = EnclaveKeyDescription(
                publicKey: [UInt8](repeating: 4, count: byteCount), accessControl: AccessControl(protection: .always))
            keychain.state.withLock { $0.nonsense.description = description }
            let (key, found) = restored(Data(), named)
            #expect(key == nil && found == -50)
        }
    }
}
