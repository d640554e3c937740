import Foundation
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Security
import Testing

@Suite("Import of PKCS#12")
struct ImportPKCS12Tests {
    private let papers: CertificatePapers

    init() throws {
        papers = try CertificatePapers.made()
    }

    private func imported(
        _ file: Data, passphrase: Any? = CertificatePapers.passphrase
    ) -> (code: OSStatus, items: [[CFString: Any]]?) {
        var items: CFArray?
        let options = passphrase.map { [kSecImportExportPassphrase: $0] } ?? [:]
        let code = SecPKCS12Import(file as CFData, options as CFDictionary, &items)
        return (code, items as? [[CFString: Any]])
    }

    @Test("an identity comes with certificate, key, chain, trust, label and key identifier")
    func items() throws {
        for file in [papers.modernFile, papers.legacyFile] {
            let (code, items) = imported(file)
            #expect(code == errSecSuccess)
            #expect(items?.count == 1)
            let item = try #require(items?.first)
            let identity = try #require(item[kSecImportItemIdentity] as? SecIdentity)
            var certificate: SecCertificate?
            SecIdentityCopyCertificate(identity, &certificate)
            #expect(certificate == papers.server)
            #expect(
                item[kSecImportItemCertChain] as? [SecCertificate] == [
                    papers.server, papers.intermediate, papers.root,
                ])
            #expect(item[kSecImportItemLabel] as? String == "server")
            var key: SecKey?
            SecIdentityCopyPrivateKey(identity, &key)
            let attributes = SecKeyCopyAttributes(try #require(key)) as? [CFString: Any]
            #expect(item[kSecImportItemKeyID] as? Data == attributes?[kSecAttrApplicationLabel] as? Data)
            let trust = try #require(item[kSecImportItemTrust] as? SecTrust)
            SecTrustSetAnchorCertificates(trust, [papers.root] as CFArray)
            #expect(SecTrustEvaluateWithError(trust, nil))
            var policies: CFArray?
            SecTrustCopyPolicies(trust, &policies)
            #expect(policies as? [SecPolicy] == [SecPolicyCreateBasicX509()])
        }
    }

    @Test("the private key of an imported identity is the one that openssl wrote")
    func key() throws {
        let item = try #require(imported(papers.modernFile).items?.first)
        let identity = try #require(item[kSecImportItemIdentity] as? SecIdentity)
        var key: SecKey?
        SecIdentityCopyPrivateKey(identity, &key)
        let found = try #require(key)
        let bytes = try #require(SecKeyCopyExternalRepresentation(found, nil) as Data?)
        // 04, x, y, k; openssl's form holds k and the point.
        #expect(papers.serverKeyDER.range(of: bytes.prefix(65)) != nil)
        #expect(papers.serverKeyDER.range(of: bytes.suffix(32)) != nil)
    }

    @Test("a wrong passphrase is told")
    func wrongPassphrase() {
        for passphrase in ["", "open sesame", CertificatePapers.passphrase + " "] as [Any] + [NSNull()] {
            for file in [papers.modernFile, papers.legacyFile] {
                let (code, items) = imported(file, passphrase: passphrase)
                #expect(code == (passphrase is NSNull ? errSecParam : errSecAuthFailed))
                #expect(items == nil)
            }
        }
        #expect(imported(papers.modernFile, passphrase: nil).code == errSecAuthFailed)
    }

    @Test("a passphrase may be data, and must be text or data")
    func typeOfPassphrase() {
        #expect(imported(papers.modernFile, passphrase: Data(CertificatePapers.passphrase.utf8)).code == errSecSuccess)
        #expect(imported(papers.modernFile, passphrase: 5).code == errSecParam)
        #expect(imported(papers.modernFile, passphrase: ["a"]).code == errSecParam)
    }

    @Test("a passphrase that is not well-formed is ignored")
    func illFormedPassphrase() {
        let (code, items) = imported(papers.modernFile, passphrase: LoneSurrogate.text())
        #expect(code == errSecParam && items == nil)
    }

    @Test("what is stored goes over the wire as an identity, and as the certificates of its chain")
    func stored() throws {
        let options: [CFString: Any] = [
            kSecImportExportPassphrase: CertificatePapers.passphrase, kSecUseDataProtectionKeychain: true,
            kSecAttrLabel: "mine", "keychain" as CFString: 1, "access" as CFString: 2, kSecImportToMemoryOnly: false,
        ]
        for (code, status) in [(ResultCode.success, errSecSuccess), (.duplicateItem, errSecSuccess), (.diskFull, -34)] {
            let keychain = RecordingKeychain(code: code, result: nil)
            var items: CFArray?
            keychain.whileCurrent {
                #expect(
                    SecPKCS12Import(papers.modernFile as CFData, options as CFDictionary, &items) == status)
            }
            #expect(items?.count == 1)
            #expect(keychain.requests.map(\.operation) == Array(repeating: .add, count: 4))
            #expect(
                keychain.requests.map { $0.queryByName["class"] } == [
                    .string("idnt"), .string("cert"), .string("cert"), .string("cert"),
                ])
            for request in keychain.requests {
                #expect(request.queryByName["labl"] == .string("mine"))
                for name in ["passphrase", "keychain", "access", "memory"] {
                    #expect(request.queryByName[name] == nil)
                }
            }
        }
    }

    @Test("a file with an empty passphrase opens without any")
    func noPassphrase() {
        for passphrase in ["", nil] as [Any?] {
            let (code, items) = imported(papers.openFile, passphrase: passphrase)
            #expect(code == errSecSuccess)
            #expect(items?.count == 1)
        }
    }

    @Test("a file without identities gives an empty array")
    func noIdentity() {
        let (code, items) = imported(papers.certificatesFile)
        #expect(code == errSecSuccess)
        #expect(items?.isEmpty == true)
    }

    @Test("what is no PKCS#12 file is told")
    func nonsense() {
        let tooLarge = Data(count: 17 << 20)
        for file in [Data(), Data("nonsense".utf8), papers.server.der, papers.serverKeyDER, tooLarge] {
            let (code, items) = imported(file)
            #expect(code == errSecDecode)
            #expect(items == nil)
        }
    }

    @Test("a file that is cut off is told")
    func cut() {
        for count in stride(from: 0, to: papers.modernFile.count, by: 97) {
            #expect(imported(papers.modernFile.prefix(count)).code == errSecDecode)
        }
    }

    @Test("a file with altered content is told")
    func altered() {
        for index in stride(from: 60, to: papers.modernFile.count, by: 101) {
            var file = papers.modernFile
            file[index] ^= 0x40
            let (code, items) = imported(file)
            #expect([errSecAuthFailed, errSecDecode].contains(code), "byte \(index)")
            #expect(items == nil)
        }
    }

    @Test("importing asks the keychain nothing")
    func keychain() {
        let keychain = RecordingKeychain()
        keychain.whileCurrent {
            #expect(imported(papers.modernFile).code == errSecSuccess)
        }
        #expect(keychain.requests.isEmpty)
    }
}
