import Foundation
import Security
import Testing

@Suite("Anchors of the system")
struct TrustSystemAnchorTests {
    private let papers: CertificatePapers

    init() throws {
        papers = try CertificatePapers.made()
    }

    // The file is named by the environment, which a process has once: so each time in a process of its own.

    @Test("certificates of the system's file are anchors, where no others were set")
    func systemFileInOwnProcess() async throws {
        let (root, server, intermediate) = (papers.root.der, papers.server.der, papers.intermediate.der)
        await #expect(processExitsWith: .success) {
            [root = root as Data, server = server as Data, intermediate = intermediate as Data] in
            try withSystemAnchor(root) {
                let trust = try trust([server, intermediate])
                #expect(SecTrustEvaluateWithError(trust, nil))
                var result = SecTrustResultType.invalid
                SecTrustGetTrustResult(trust, &result)
                #expect(result == .unspecified)
            }
        }
    }

    @Test("own anchors replace the system's, unless both are asked for")
    func ownAnchorsInOwnProcess() async throws {
        let (root, client, other) = (papers.root.der, papers.client.der, papers.nameless.der)
        await #expect(processExitsWith: .success) {
            [root = root as Data, client = client as Data, other = other as Data] in
            try withSystemAnchor(root) {
                let trust = try trust([client])
                let anchor = try #require(SecCertificateCreateWithData(nil, other as CFData))
                SecTrustSetAnchorCertificates(trust, [anchor] as CFArray)
                #expect(!SecTrustEvaluateWithError(trust, nil))
                SecTrustSetAnchorCertificatesOnly(trust, false)
                #expect(SecTrustEvaluateWithError(trust, nil))
            }
        }
    }
}

private func trust(_ certificates: [Data]) throws -> SecTrust {
    let objects = try certificates.map { try #require(SecCertificateCreateWithData(nil, $0 as CFData)) }
    var trust: SecTrust?
    SecTrustCreateWithCertificates(objects as CFArray, nil, &trust)
    return try #require(trust)
}

/// Only for a process that does nothing else.
private func withSystemAnchor(_ anchor: Data, _ body: () throws -> Void) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-anchors-\(UUID().uuidString)")
    let text = anchor.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    try Data("-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    setenv("SSL_CERT_FILE", file.path, 1)
    setenv("SSL_CERT_DIR", "/nonexistent", 1)
    try body()
}
