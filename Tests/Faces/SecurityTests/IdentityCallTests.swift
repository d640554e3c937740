import Foundation
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Security
import Testing

@Suite("Identities")
struct IdentityCallTests {
    private let papers: CertificatePapers
    private let identity: SecIdentity

    init() throws {
        papers = try CertificatePapers.made()
        identity = try Self.imported(papers.modernFile)
    }

    private static func imported(_ file: Data) throws -> SecIdentity {
        var items: CFArray?
        let options = [kSecImportExportPassphrase: CertificatePapers.passphrase]
        try #require(SecPKCS12Import(file as CFData, options as CFDictionary, &items) == errSecSuccess)
        let item = try #require((items as? [[CFString: Any]])?.first)
        return try #require(item[kSecImportItemIdentity] as? SecIdentity)
    }

    private func key() throws -> SecKey {
        var key: SecKey?
        #expect(SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess)
        return try #require(key)
    }

    @Test("an identity is its certificate and its private key")
    func parts() throws {
        var certificate: SecCertificate?
        #expect(SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess)
        #expect(certificate == papers.server)
        #expect(try SecKeyCopyPublicKey(key()) == SecCertificateCopyKey(papers.server))
    }

    @Test("the key of an identity signs what the certificate's key verifies")
    func signature() throws {
        let message = Data("a door".utf8) as CFData
        let signature = try #require(
            SecKeyCreateSignature(key(), .ecdsaSignatureMessageX962SHA256, message, nil))
        let publicKey = try #require(SecCertificateCopyKey(papers.server))
        #expect(SecKeyVerifySignature(publicKey, .ecdsaSignatureMessageX962SHA256, message, signature, nil))
    }

    @Test("a certificate and its private key make an identity, other keys do not")
    func create() throws {
        let key = try key()
        #expect(SecIdentityCreate(nil, papers.server, key) == identity)
        #expect(SecIdentityCreate(nil, papers.client, key) == nil)
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        #expect(SecIdentityCreate(nil, papers.server, publicKey) == nil)
    }

    @Test("identities of the same parts are equal")
    func equality() throws {
        let same = try Self.imported(papers.legacyFile)
        #expect(same !== identity)
        #expect(same == identity)
        #expect(same.hash == identity.hash)
        #expect(CFEqual(same, identity))
        #expect(!identity.isEqual(papers.server))
        #expect(CFGetTypeID(identity) == SecIdentityGetTypeID())
        #expect(identity.description.contains("www.example.com"))
    }

    @Test("the private key of a certificate is looked for in the keychain")
    func search() throws {
        let data = try #require(SecKeyCopyExternalRepresentation(key(), nil) as Data?)
        let keychain = RecordingKeychain(
            result: ItemObject.key(keyClass: 1, type: 73, dataSecret: 0).value, secrets: [[UInt8](data)])
        var found: SecIdentity?
        keychain.whileCurrent {
            #expect(SecIdentityCreateWithCertificate(nil, papers.server, &found) == errSecSuccess)
        }
        #expect(found == identity)
        let query = try #require(keychain.requests.first).queryByName
        let attributes = try #require(SecKeyCopyAttributes(key()) as? [CFString: Any])
        let label = try #require(attributes[kSecAttrApplicationLabel] as? Data)
        #expect(query["class"] == .string("keys"))
        #expect(query["kcls"] == .string("1"))
        #expect(query["klbl"] == .data([UInt8](label)))
        #expect(query["r_Ref"] == .boolean(true))
    }

    @Test("a certificate whose key the keychain does not have makes no identity")
    func notFound() {
        var found: SecIdentity?
        RecordingKeychain(code: .itemNotFound, result: nil).whileCurrent {
            #expect(SecIdentityCreateWithCertificate(nil, papers.server, &found) == errSecItemNotFound)
        }
        RecordingKeychain(result: nil).whileCurrent {
            #expect(SecIdentityCreateWithCertificate(nil, papers.server, &found) == errSecItemNotFound)
        }
        #expect(found == nil)
    }
}
