import Foundation
import LatchkeyCertificates
import LatchkeyEncoding
import Testing

@Suite("Trust: the system's anchors")
struct SystemAnchorTests {
    static let file = "/etc/ssl/certs/ISRG_Root_X1.pem"

    @Test(
        "What the system trusts is an anchor, if it is asked for",
        .enabled(
            if: FileManager.default.fileExists(atPath: SystemAnchorTests.file),
            "the package ca-certificates is not installed"))
    func installed() throws {
        let file = try Data(contentsOf: URL(fileURLWithPath: Self.file))
        let root = try #require(try Certificate.all(pem: Array(file)).first)
        var evaluation = TrustEvaluation(leaf: root, date: WallTime(secondsSince2001: Workshop.noon))
        guard case .trusted(let chain, isAnchoredByCaller: false) = evaluation.outcome() else {
            Issue.record("not trusted")
            return
        }
        #expect(chain == [root])
        evaluation.anchors = [root]
        guard case .trusted(_, isAnchoredByCaller: true) = evaluation.outcome() else {
            Issue.record("the caller's anchor is not preferred")
            return
        }
        evaluation.anchors = []
        evaluation.usesSystemAnchors = false
        guard case .refused(.notAnchored, _) = evaluation.outcome() else {
            Issue.record("trusted without an anchor")
            return
        }
    }

    @Test("SSL_CERT_FILE and SSL_CERT_DIR say what the system trusts")
    func environmentInOwnProcess() async throws {
        // The environment belongs to the process, so it is changed in one of its own.
        await #expect(processExitsWith: .success) {
            let workshop = try Workshop()
            let root = try workshop.make("root", "/CN=Root", Workshop.authority)
            let middle = try workshop.make("middle", "/CN=Middle", by: root, Workshop.authority)
            let leaf = try workshop.make("leaf", "/CN=leaf", by: middle)
            var evaluation = TrustEvaluation(leaf: leaf.certificate, date: WallTime(secondsSince2001: Workshop.noon))
            evaluation.intermediates = [middle.certificate]
            // An anchor of the caller's beside it, of no use.
            evaluation.anchors = [try workshop.make("other", "/CN=Other").certificate]
            setenv("SSL_CERT_FILE", "/dev/null", 1)
            setenv("SSL_CERT_DIR", workshop.path("none"), 1)
            guard case .refused(.notAnchored, let begun) = evaluation.outcome() else { exit(2) }
            guard begun == [leaf.certificate, middle.certificate] else { exit(3) }
            setenv("SSL_CERT_FILE", root.certificateFile, 1)
            guard case .trusted(let chain, isAnchoredByCaller: false) = evaluation.outcome() else { exit(4) }
            guard chain == [leaf, middle, root].map(\.certificate) else { exit(5) }
            let directory = workshop.path("hashed")
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: root.certificateFile, toPath: directory + "/root.pem")
            try workshop.openssl(["rehash", directory])
            setenv("SSL_CERT_FILE", "/dev/null", 1)
            setenv("SSL_CERT_DIR", directory, 1)
            guard case .trusted(_, isAnchoredByCaller: false) = evaluation.outcome() else { exit(6) }
        }
    }
}
