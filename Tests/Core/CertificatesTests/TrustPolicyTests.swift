import Foundation
import LatchkeyCertificates
import Testing

@Suite("Trust: policies")
struct TrustPolicyTests {
    private let workshop: Workshop
    private let root: Workshop.Made

    init() throws {
        workshop = try Workshop()
        root = try workshop.make("root", "/O=Example/CN=Root", Workshop.authority)
    }

    private func check(_ name: String, _ extensions: [String], key: Workshop.Key = .p256) throws -> TrustCheck {
        TrustCheck(workshop, try workshop.make(name, "/CN=cn.example", by: root, extensions, key: key), to: [root])
    }

    @Test("A server's certificate is for the names that it lists")
    func hostNames() throws {
        let check = try check(
            "leaf", ["subjectAltName=DNS:one.example,DNS:*.two.example,IP:10.1.2.3,IP:fe80::1,DNS:UPPER.example"])
        for name in ["one.example", "ONE.example", "a.two.example", "10.1.2.3", "fe80::1", "upper.example"] {
            try check.server(name).expect(nil)
        }
        for name in [
            "two.example", "a.b.two.example", "cn.example", "one.example.org", "10.1.2.4", "fe80::2", "xone.example",
            "ne.example",
        ] {
            try check.server(name).expect(.hostNameMismatch)
        }
        try check.server(nil).expect(nil)
        try check.with(.ssl(isServer: false, hostName: "one.example")).expect(nil)
        try check.with(.ssl(isServer: false, hostName: "three.example")).expect(.hostNameMismatch)
    }

    @Test(
        "The dot of the root zone means nothing; an invalid name fits no certificate",
        arguments: [
            ("one.example.", nil), ("", .hostNameMismatch), (".", .hostNameMismatch), (".example", .hostNameMismatch),
            ("one.example..", .hostNameMismatch), ("one.example\0", .hostNameMismatch),
            ("öne.example", .hostNameMismatch),
            (" one.example", .hostNameMismatch), ("*.example", .hostNameMismatch),
            (String(repeating: "a", count: 100_000), .hostNameMismatch),
        ] as [(String, TrustFailure?)])
    func oddHostNames(name: String, failure: TrustFailure?) throws {
        let check = try check("leaf", ["subjectAltName=DNS:one.example,DNS:*.example"])
        #expect(check.server(name).result.failure == failure)
    }

    @Test("The common name does not count as a host name, whether there are others or not")
    func commonName() throws {
        #expect(try check("none", []).server("cn.example").result.failure == .hostNameMismatch)
        let other = try check("other", ["subjectAltName=email:a@cn.example"])
        #expect(other.server("cn.example").result.failure == .hostNameMismatch)
    }

    @Test("A NUL in a name ends nothing: neither half is the name")
    func nul() throws {
        // "good.example", NUL, ".evil.example" as a dNSName.
        let text = Array("good.example".utf8) + [0] + Array(".evil.example".utf8)
        let name = [0x30, UInt8(text.count + 2), 0x82, UInt8(text.count)] + text
        let check = try check(
            "nul", ["subjectAltName=DER:" + name.map { String(format: "%02X", $0) }.joined(separator: ":")])
        try check.server("good.example").expect(.hostNameMismatch)
        try check.server("evil.example").expect(.hostNameMismatch)
    }

    @Test("A certificate for other uses does not fit a server; an authority for other uses vouches for no server")
    func purposes() throws {
        let client = try check("client", ["extendedKeyUsage=clientAuth"])
        try client.server(nil).expect(.purposeNotAllowed)
        try client.with(.ssl(isServer: false, hostName: nil)).expect(nil)
        try client.expect(nil)
        try check("signing", ["keyUsage=critical,keyCertSign"]).server(nil).expect(.purposeNotAllowed)

        let middle = try workshop.make(
            "middle", "/CN=Middle", by: root, Workshop.authority + ["extendedKeyUsage=clientAuth"])
        let end = try workshop.make("end", "/CN=end", by: middle)
        try TrustCheck(workshop, end, [middle], to: [root]).server(nil).expect(.notAuthority)
        try TrustCheck(workshop, end, [middle], to: [root]).expect(nil)
    }

    @Test("Weak keys and digests are refused; servers need more")
    func weakness() throws {
        let small = try check("small", [], key: .rsa(512))
        try small.expect(.weakKeyOrDigest)
        let middling = try check("middling", [], key: .rsa(1024))
        try middling.expect(nil)
        try middling.server(nil).expect(.weakKeyOrDigest)
        let old = try workshop.make("old", "/CN=old", by: root, digest: "sha1")
        try TrustCheck(workshop, old, to: [root]).expect(.weakKeyOrDigest)
        // The signature of an anchor is not looked at.
        let oldRoot = try workshop.make("old-root", "/CN=Old", Workshop.authority, digest: "sha1")
        let end = try workshop.make("end", "/CN=end", by: oldRoot)
        try TrustCheck(workshop, end, to: [oldRoot]).server(nil).expect(nil)
        let smallRoot = try workshop.make("small-root", "/CN=Small", Workshop.authority, key: .rsa(512))
        let below = try workshop.make("below", "/CN=below", by: smallRoot)
        try TrustCheck(workshop, below, to: [smallRoot]).expect(.weakKeyOrDigest)
    }

    @Test("What libcrypto alone knows is told in its words")
    func otherReasons() throws {
        let bound = try workshop.make(
            "bound", "/CN=Bound", by: root, Workshop.authority + ["nameConstraints=critical,permitted;DNS:example.com"])
        let outside = try workshop.make("outside", "/CN=end", by: bound, ["subjectAltName=DNS:example.org"])
        try TrustCheck(workshop, outside, [bound], to: [root]).expect(.other(reason: "permitted subtree violation"))
        let inside = try workshop.make("inside", "/CN=end", by: bound, ["subjectAltName=DNS:www.example.com"])
        try TrustCheck(workshop, inside, [bound], to: [root]).expect(nil)
        try check("critical", ["1.2.3.4=critical,DER:05:00"]).expect(.other(reason: "unhandled critical extension"))
    }

    @Test("All policies must hold; the first that does not decides")
    func several() throws {
        var evaluation = try check("leaf", ["subjectAltName=DNS:one.example", "extendedKeyUsage=serverAuth"]).evaluation
        let server = TrustEvaluation.Policy.ssl(isServer: true, hostName: "one.example")
        func failure(_ policies: [TrustEvaluation.Policy]) -> TrustFailure? {
            evaluation.policies = policies
            if case .refused(let failure, _) = evaluation.outcome() { return failure }
            return nil
        }
        #expect(failure([]) == nil)
        #expect(failure([.basicX509, server]) == nil)
        #expect(failure([server, .ssl(isServer: true, hostName: "two.example")]) == .hostNameMismatch)
        #expect(failure([.ssl(isServer: false, hostName: nil), server]) == .purposeNotAllowed)
        #expect(failure([.revocation(flags: 3)]) == nil)
        #expect(failure([.revocation(flags: 8)]) == .revocationUnknown)
        #expect(failure([.basicX509, .revocation(flags: 11), server]) == .revocationUnknown)
        evaluation.anchors = []
        #expect(failure([.revocation(flags: 8)]) == .notAnchored)
    }

    @Test("What a person tolerates is passed over; what an altered certificate or no authority does never is")
    func tolerated() throws {
        let middle = try workshop.make("middle", "/CN=Middle", by: root, Workshop.authority)
        let leaf = try workshop.make(
            "leaf", "/CN=leaf", by: middle, ["extendedKeyUsage=clientAuth"], to: "20260101000000Z")
        var evaluation = TrustCheck(workshop, leaf, [middle], to: []).server("one.example").evaluation
        evaluation.policies.append(.revocation(flags: 8))
        var found: [TrustFailure] = []
        while case .refused(let failure, _) = evaluation.outcome(), evaluation.tolerated.insert(failure).inserted {
            found.append(failure)
        }
        #expect(Set(found) == [.notAnchored, .expired, .hostNameMismatch, .purposeNotAllowed, .revocationUnknown])
        guard case .trusted(let chain, let isAnchoredByCaller) = evaluation.outcome() else {
            Issue.record("not tolerated")
            return
        }
        #expect(chain == [leaf.certificate, middle.certificate] && !isAnchoredByCaller)
        // An anchor that is there is found all the same.
        evaluation.anchors = [root.certificate]
        guard case .trusted(let whole, isAnchoredByCaller: true) = evaluation.outcome() else {
            Issue.record("the anchor is not found")
            return
        }
        #expect(whole == [leaf, middle, root].map(\.certificate))

        var altered = leaf.certificate.der
        altered[altered.count - 1] ^= 1
        evaluation.leaf = try Certificate(der: altered)
        evaluation.tolerated.insert(.signatureWrong)
        guard case .refused(.signatureWrong, _) = evaluation.outcome() else {
            Issue.record("an altered certificate is tolerated")
            return
        }
    }
}
