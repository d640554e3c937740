import Foundation
import LatchkeyCertificates
import Testing

/// Where libcrypto's verifier is more lenient than RFC 5280, the answers are not those of openssl.
@Suite("Trust: name constraints and wildcards")
struct NameConstraintTests {
    private static let excluded = TrustFailure.other(reason: "excluded subtree violation")
    private static let unreadable = TrustFailure.other(reason: "unsupported or invalid name constraint syntax")

    /// 2030-01-01: openssl's plain command makes certificates that begin now.
    private static let soon = 915_148_800.0

    private let workshop: Workshop
    private let root: Workshop.Made

    init() throws {
        workshop = try Workshop()
        root = try workshop.make("root", "/O=Example/CN=Root", Workshop.authority)
    }

    private func bound(_ constraints: String) throws -> Workshop.Made {
        try workshop.make("bound", "/CN=Bound", by: root, Workshop.authority + ["nameConstraints=\(constraints)"])
    }

    private func check(
        _ constraints: String, _ extensions: [String], subject: String = "/CN=end"
    ) throws -> TrustCheck {
        let bound = try bound(constraints)
        return TrustCheck(workshop, try workshop.make("end", subject, by: bound, extensions), [bound], to: [root])
    }

    @Test(
        "A wildcard that could stand for an excluded host is refused, for every host and for none",
        arguments: [
            ("bar.example.com", "*.example.com", true), ("bar.example.com", "foo.example.com", false),
            ("bar.example.com", "*.bar.example.com", true), ("bar.example.com", "*.example.org", false),
            ("x.bar.example.com", "*.example.com", false), ("x.bar.example.com", "*.bar.example.com", true),
            ("example.com", "*.com", true), ("BAR.example.com", "*.EXAMPLE.com", true),
            ("bar.example.com", "b*.example.com", true), ("bar.example.com", "*.example.com.", true),
            ("bar.example.com", "bar.example.com.", true), (".bar.example.com", "*.example.com", false),
            (".bar.example.com", "*.bar.example.com", true), (".bar.example.com", "x.*.example.com", true),
        ])
    func exclusions(constraint: String, name: String, isRefused: Bool) throws {
        // The other name alone would pass.
        let check = try check("critical,excluded;DNS:\(constraint)", ["subjectAltName=DNS:one.example,DNS:\(name)"])
        for check in [check, check.server(nil), check.server("one.example")] {
            #expect(check.result.failure == (isRefused ? Self.excluded : nil))
        }
        if name == "*.example.com" {
            #expect((check.server("bar.example.com").result.failure == nil) != isRefused)
        }
    }

    @Test("A wildcard beyond what is permitted is refused; one inside is not")
    func permitted() throws {
        let wide = try check("critical,permitted;DNS:example.com", ["subjectAltName=DNS:*.example.com"])
        try wide.expect(nil)
        try wide.server("bar.example.com").expect(nil)
        let narrow = try check("critical,permitted;DNS:bar.example.com", ["subjectAltName=DNS:*.example.com"])
        try narrow.expect(.other(reason: "permitted subtree violation"))
        let both = try check(
            "critical,permitted;DNS:example.com,excluded;DNS:bar.example.com,excluded;email:example.com",
            ["subjectAltName=DNS:*.example.com"])
        #expect(both.server("foo.example.com").result.failure == Self.excluded)
    }

    @Test("A common name counts where programs may take it for a host, and never for SSL")
    func commonName() throws {
        let constraint = "critical,excluded;DNS:bar.example.com"
        let bare = try check(constraint, [], subject: "/CN=*.example.com")
        #expect(bare.result.failure == Self.excluded)
        #expect(bare.server(nil).result.failure == nil)
        let named = try check(constraint, ["subjectAltName=DNS:one.example"], subject: "/CN=*.example.com")
        #expect(named.result.failure == nil)
        let person = try check("critical,excluded;DNS:example.com", [], subject: "/CN=A * of B")
        #expect(person.result.failure == nil)
    }

    @Test("Every issuer above binds, the anchor too, and names of intermediates are bound")
    func depths() throws {
        let anchor = try workshop.make(
            "anchor", "/CN=Anchor", Workshop.authority + ["nameConstraints=critical,excluded;DNS:bar.example.com"])
        let plain = try workshop.make("plain", "/CN=Plain", by: anchor, Workshop.authority)
        let wild = try workshop.make("wild", "/CN=wild", by: plain, ["subjectAltName=DNS:*.example.com"])
        #expect(TrustCheck(workshop, wild, [plain], to: [anchor]).result.failure == Self.excluded)
        #expect(TrustCheck(workshop, wild, [anchor], to: [plain]).result.failure == nil)
        let named = try workshop.make(
            "named", "/CN=Named", by: anchor, Workshop.authority + ["subjectAltName=DNS:*.example.com"])
        let below = try workshop.make("below", "/CN=below", by: named)
        #expect(TrustCheck(workshop, below, [named], to: [anchor]).result.failure == Self.excluded)
        // An authority that renews its own certificate is not bound by it.
        let renewed = try workshop.make(
            "renewed", "/CN=Anchor", by: anchor, Workshop.authority + ["subjectAltName=DNS:*.example.com"])
        let last = try workshop.make("last", "/CN=last", by: renewed)
        #expect(TrustCheck(workshop, last, [renewed], to: [anchor]).result.failure == nil)
    }

    @Test("Constraints and names that are not DER are refused, though libcrypto parses them")
    func otherEncodings() throws {
        // The length of the outermost sequence takes a byte more than it needs.
        let name = Array("bar.example.com".utf8)
        let subtree = [0x30, UInt8(name.count + 2), 0x82, UInt8(name.count)] + name
        let excluded = [0xA1, UInt8(subtree.count)] + subtree
        let constraints = "critical,DER:" + Self.hexadecimal([0x30, 0x81, UInt8(excluded.count)] + excluded)
        #expect(try check(constraints, []).result.failure == Self.unreadable)

        let wildcard = Array("*.example.com".utf8)
        let item = [0x82, UInt8(wildcard.count)] + wildcard
        let names = "subjectAltName=DER:" + Self.hexadecimal([0x30, 0x81, UInt8(item.count)] + item)
        #expect(try check("critical,excluded;DNS:bar.example.com", [names]).result.failure == Self.unreadable)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02X", $0) }.joined(separator: ":")
    }

    @Test("An issuer of version 3 is an authority by its basic constraints alone, an anchor too")
    func basicConstraints() throws {
        let usage = ["keyUsage=critical,keyCertSign,cRLSign"]
        let anchor = try workshop.make("anchor", "/CN=Anchor", usage)
        let end = try workshop.make("end", "/CN=end", by: anchor)
        #expect(TrustCheck(workshop, end, to: [anchor]).result.failure == .notAuthority)
        #expect(TrustCheck(workshop, anchor, to: [anchor]).result.failure == nil)

        let middle = try workshop.make("middle", "/CN=Middle", by: root, usage)
        let below = try workshop.make("below", "/CN=below", by: middle)
        #expect(TrustCheck(workshop, below, [middle], to: [root]).result.failure == .notAuthority)
        #expect(TrustCheck(workshop, below, to: [middle]).result.failure == .notAuthority)

        // Version 1 has no extensions: such a root can only be an anchor.
        let made = try workshop.make("old", "/CN=Old")
        try workshop.openssl([
            "x509", "-req", "-in", "old.csr", "-signkey", made.keyFile, "-days", "9000", "-set_serial", "5", "-out",
            "old-v1.pem",
        ])
        let old = Workshop.Made(
            certificate: try #require(try Certificate.all(pem: workshop.bytes("old-v1.pem")).first),
            certificateFile: workshop.path("old-v1.pem"), keyFile: made.keyFile)
        #expect(old.certificate.version == 0)
        let last = try workshop.make("last", "/CN=last", by: old)
        #expect(TrustCheck(workshop, last, to: [old]).on(Self.soon).result.failure == nil)
    }
}
