import Foundation
import Security
import Testing

/// The examples of `Docs/Manual/Certificates.md`, as they stand there.
@Suite("The manual's examples with certificates")
struct CertificateManualTests {
    private let papers: CertificatePapers

    init() throws {
        papers = try CertificatePapers.made()
    }

    /// Checks that a server is the one it names, by an authority of one's own.
    private func check(_ chain: [SecCertificate], of host: String, by root: SecCertificate) throws {
        var trust: SecTrust?
        let policy = SecPolicyCreateSSL(true, host as CFString)
        guard SecTrustCreateWithCertificates(chain as CFArray, policy, &trust) == errSecSuccess, let trust else {
            throw CocoaError(.fileReadCorruptFile)
        }
        SecTrustSetAnchorCertificates(trust, [root] as CFArray)
        var error: CFError?
        guard SecTrustEvaluateWithError(trust, &error) else { throw error! }
    }

    @Test("a server is checked against an authority of one's own")
    func server() throws {
        let chain = [papers.server, papers.intermediate]
        try check(chain, of: "www.example.com", by: papers.root)
        let failure = #expect(throws: NSError.self) { try check(chain, of: "example.org", by: papers.root) }
        #expect(failure?.code == Int(errSecHostNameMismatch))
        #expect(
            failure?.localizedDescription == "The certificate \u{201C}www.example.com\u{201D} is not for this host.")
    }

    /// The identity of a file.
    private func identity(in file: Data, passphrase: String) -> SecIdentity? {
        var items: CFArray?
        let options = [kSecImportExportPassphrase: passphrase]
        guard SecPKCS12Import(file as CFData, options as CFDictionary, &items) == errSecSuccess,
            let item = (items as? [[CFString: Any]])?.first
        else { return nil }
        return item[kSecImportItemIdentity] as? SecIdentity
    }

    /// Signs a message with the private key of an identity.
    private func sign(_ message: Data, with identity: SecIdentity) -> Data? {
        var key: SecKey?
        SecIdentityCopyPrivateKey(identity, &key)
        return key.flatMap {
            SecKeyCreateSignature($0, .ecdsaSignatureMessageX962SHA256, message as CFData, nil) as Data?
        }
    }

    @Test("an identity is imported and signs")
    func identity() throws {
        let found = identity(in: papers.modernFile, passphrase: CertificatePapers.passphrase)
        let identity = try #require(found)
        let message = Data("hello".utf8)
        let signature = try #require(sign(message, with: identity))
        let key = try #require(SecCertificateCopyKey(papers.server))
        #expect(
            SecKeyVerifySignature(
                key, .ecdsaSignatureMessageX962SHA256, message as CFData, signature as CFData, nil))
        #expect(self.identity(in: papers.modernFile, passphrase: "") == nil)
    }

    /// Returns true if it is trusted, where a person may have said yes before.
    private func isTrusted(_ trust: SecTrust, remembered: inout Data?, ask: (NSError) -> Bool) -> Bool {
        if let remembered { SecTrustSetExceptions(trust, remembered as CFData) }
        var error: CFError?
        if SecTrustEvaluateWithError(trust, &error) { return true }
        var result = SecTrustResultType.invalid
        SecTrustGetTrustResult(trust, &result)
        guard result == .recoverableTrustFailure, let error, ask(error) else { return false }
        remembered = SecTrustCopyExceptions(trust) as Data?
        SecTrustSetExceptions(trust, remembered as CFData?)
        return SecTrustEvaluateWithError(trust, nil)
    }

    @Test("a person is asked once")
    func exceptions() throws {
        func trust(_ certificate: SecCertificate) throws -> SecTrust {
            var trust: SecTrust?
            SecTrustCreateWithCertificates(certificate, nil, &trust)
            return try #require(trust)
        }
        var remembered: Data?
        var questions = 0
        let refused = try isTrusted(trust(papers.nameless), remembered: &remembered) { _ in false }
        #expect(!refused)
        #expect(remembered == nil)
        for _ in 0..<2 {
            let answer = try isTrusted(trust(papers.nameless), remembered: &remembered) { _ in
                questions += 1
                return true
            }
            #expect(answer)
        }
        #expect(questions == 1)
        let other = try isTrusted(trust(papers.client), remembered: &remembered) { _ in false }
        #expect(!other)
    }
}
