import CryptoKit
import Foundation
import Security
import SecurityTesting
import Testing

@Suite("Keys between CryptoKit and Security")
struct SecurityExchangeTests {
    private static let message = Data("challenge".utf8)

    @Test("private keys are stored as items and come back")
    func storePrivateKeys() throws {
        let device = try VirtualDevice()
        try device.run {
            let signing = CryptoKit.P256.Signing.PrivateKey()
            try Self.store(signing.x963Representation, size: 256, label: "signing")
            let read = try CryptoKit.P256.Signing.PrivateKey(x963Representation: Self.read("signing"))
            #expect(read.rawRepresentation == signing.rawRepresentation)

            let agreement = CryptoKit.P384.KeyAgreement.PrivateKey()
            try Self.store(agreement.x963Representation, size: 384, label: "agreement")
            let other = try CryptoKit.P384.KeyAgreement.PrivateKey(x963Representation: Self.read("agreement"))
            #expect(other.rawRepresentation == agreement.rawRepresentation)

            let large = CryptoKit.P521.Signing.PrivateKey()
            try Self.store(large.x963Representation, size: 521, label: "large")
            #expect(
                try CryptoKit.P521.Signing.PrivateKey(x963Representation: Self.read("large")).rawRepresentation
                    == large.rawRepresentation)
        }
    }

    @Test("a key of the enclave is the same key for both", arguments: VirtualDevice.Backend.allCases)
    func enclaveKeys(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        try device.run {
            let key = try SecureEnclave.P256.Signing.PrivateKey()
            let publicKey = try #require(
                SecKeyCreateWithData(
                    key.publicKey.x963Representation as CFData,
                    [
                        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic,
                    ] as CFDictionary, nil))
            let signature = try key.signature(for: Self.message)
            #expect(
                SecKeyVerifySignature(
                    publicKey, .ecdsaSignatureMessageX962SHA256, Self.message as CFData,
                    signature.derRepresentation as CFData, nil))

            let secKey = try #require(
                SecKeyCreateWithData(
                    Data() as CFData,
                    [
                        kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                        "toid": key.dataRepresentation, kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
                    ] as [AnyHashable: Any] as NSDictionary, nil))
            let other = try #require(
                SecKeyCreateSignature(secKey, .ecdsaSignatureMessageX962SHA256, Self.message as CFData, nil) as Data?)
            #expect(
                key.publicKey.isValidSignature(try .init(derRepresentation: other), for: Self.message))
        }
        device.close()
    }

    @Test("the representation of a key is kept as a password, and goes with the device")
    func passwords() throws {
        let device = try VirtualDevice()
        try device.run {
            let key = try SecureEnclave.P256.KeyAgreement.PrivateKey()
            let item: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.keys", kSecAttrAccount: "chat",
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                kSecValueData: key.dataRepresentation,
            ]
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            var found: CFTypeRef?
            let query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.keys", kSecReturnData: true,
            ]
            #expect(SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess)
            let bytes = try #require(found as? Data)
            let again = try SecureEnclave.P256.KeyAgreement.PrivateKey(dataRepresentation: bytes)
            #expect(again.publicKey.rawRepresentation == key.publicKey.rawRepresentation)
        }
    }

    private static func store(_ bytes: Data, size: Int, label: String) throws {
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
        ]
        let key = try #require(SecKeyCreateWithData(bytes as CFData, attributes as CFDictionary, nil))
        let item: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrApplicationLabel: label,
            kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueRef: key,
        ]
        #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
    }

    private static func read(_ label: String) throws -> Data {
        let query: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrApplicationLabel: label,
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecReturnRef: true,
        ]
        var found: CFTypeRef?
        #expect(SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess)
        let key = try #require(found as? SecKey)
        return try #require(SecKeyCopyExternalRepresentation(key, nil) as Data?)
    }
}
