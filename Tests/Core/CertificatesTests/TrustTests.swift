import Foundation
import LatchkeyCertificates
import Testing

@Suite("Trust: chains")
struct TrustTests {
    private let workshop: Workshop
    private let root: Workshop.Made
    private let middle: Workshop.Made
    private let leaf: Workshop.Made

    init() throws {
        workshop = try Workshop()
        root = try workshop.make("root", "/O=Example/CN=Root", Workshop.authority)
        middle = try workshop.make("middle", "/O=Example/CN=Middle", by: root, Workshop.authority)
        leaf = try workshop.make("leaf", "/CN=leaf", by: middle, ["subjectAltName=DNS:leaf.example"])
    }

    @Test("A chain leads from the leaf to the anchor, whatever the order of what is given", arguments: [false, true])
    func chain(isRSA: Bool) throws {
        let key = isRSA ? Workshop.Key.rsa(2048) : .p384
        let second = try workshop.make("second", "/CN=Second", by: middle, Workshop.authority, key: key)
        let end = try workshop.make("end", "/CN=end", by: second, key: key)
        let stranger = try workshop.make("stranger", "/CN=Stranger", Workshop.authority)
        for intermediates in [[second, stranger, middle], [middle, root, second, leaf, end]] {
            for anchors in [[root, stranger], [stranger, root]] {
                let check = TrustCheck(workshop, end, intermediates, to: anchors)
                #expect(try check.result.get() == [end, second, middle, root].map(\.certificate))
                #expect(try check.opensslTrusts())
            }
        }
    }

    @Test("Without a way to an anchor nothing is believed")
    func notAnchored() throws {
        try TrustCheck(workshop, leaf, to: [root]).expect(.notAnchored)
        try TrustCheck(workshop, leaf, [middle], to: []).expect(.notAnchored)
        try TrustCheck(workshop, leaf, [middle, root], to: []).expect(.notAnchored)
        let own = try workshop.make("own", "/CN=own")
        try TrustCheck(workshop, own, to: [root]).expect(.notAnchored)
        try TrustCheck(workshop, own, to: []).expect(.notAnchored)
    }

    @Test("Any certificate can be an anchor: one that signed itself, an intermediate, the leaf")
    func anyAnchor() throws {
        let own = try workshop.make("own", "/CN=own")
        try TrustCheck(workshop, own, to: [own]).expect(nil)
        try TrustCheck(workshop, leaf, to: [leaf]).expect(nil)
        let check = TrustCheck(workshop, leaf, [root], to: [middle])
        try check.expect(nil)
        #expect(try check.result.get() == [leaf.certificate, middle.certificate])
    }

    @Test("Failures tell how far the chain was built")
    func partialChain() {
        guard case .refused(let failure, let chain) = TrustCheck(workshop, leaf, [middle], to: []).evaluation.outcome()
        else {
            Issue.record("an unknown root is trusted")
            return
        }
        #expect(failure == .notAnchored)
        #expect(chain == [leaf.certificate, middle.certificate])
    }

    @Test("Every certificate of the chain is valid from its first second to the end of its last")
    func validity() throws {
        let short = try workshop.make(
            "short", "/CN=short", by: root, from: "20260601000000Z", to: "20260602000000Z")
        let day = Workshop.noon - 43_200
        let check = TrustCheck(workshop, short, to: [root])
        #expect(check.on(day).result.failure == nil)
        #expect(check.on(day - 0.5).result.failure == .notYetValid)
        #expect(check.on(day + 86_400).result.failure == nil)
        #expect(check.on(day + 86_400.5).result.failure == .expired)
        try check.on(day + 1).expect(nil)
        try check.on(day - 1).expect(.notYetValid)
        try check.on(day + 86_401).expect(.expired)
        try TrustCheck(workshop, leaf, [middle], to: [root]).on(2e9).expect(.expired)
        #expect(check.on(.infinity).result.failure == .expired)
        #expect(check.on(-.infinity).result.failure == .notYetValid)
        #expect(check.on(.nan).result.failure == .notYetValid)

        let old = try workshop.make("old", "/CN=old", by: root, Workshop.authority, to: "20260101000000Z")
        let below = try workshop.make("below", "/CN=below", by: old)
        try TrustCheck(workshop, below, [old], to: [root]).expect(.expired)
    }

    @Test("Only an authority may sign, and not deeper than it is allowed to")
    func authority() throws {
        func failure(_ name: String, _ extensions: [String]) throws -> TrustFailure? {
            let signer = try workshop.make(name, "/CN=\(name)", by: root, extensions)
            let end = try workshop.make("\(name)-end", "/CN=end", by: signer)
            let check = TrustCheck(workshop, end, [signer], to: [root])
            #expect(try check.opensslTrusts() == (check.result.failure == nil))
            return check.result.failure
        }
        #expect(try failure("no", ["basicConstraints=CA:FALSE"]) == .notAuthority)
        #expect(try failure("none", ["subjectKeyIdentifier=hash"]) == .notAuthority)
        #expect(
            try failure("use", ["basicConstraints=critical,CA:TRUE", "keyUsage=digitalSignature"]) == .notAuthority)
        #expect(try failure("yes", Workshop.authority) == nil)

        let last = try workshop.make(
            "last", "/CN=Last", by: root, ["basicConstraints=critical,CA:TRUE,pathlen:0", "keyUsage=keyCertSign"])
        let beyond = try workshop.make("beyond", "/CN=Beyond", by: last, Workshop.authority)
        let near = try workshop.make("near", "/CN=near", by: last)
        let far = try workshop.make("far", "/CN=far", by: beyond)
        try TrustCheck(workshop, near, [last], to: [root]).expect(nil)
        try TrustCheck(workshop, far, [last, beyond], to: [root]).expect(.chainTooLong)
    }

    @Test("A signature that was altered is told from an issuer that is missing")
    func signature() throws {
        let altered = try altered(leaf, "altered") { $0[$0.count - 1] ^= 1 }
        try TrustCheck(workshop, altered, [middle], to: [root]).expect(.signatureWrong)
        let alteredMiddle = try self.altered(middle, "altered-middle") { $0[$0.count - 1] ^= 1 }
        try TrustCheck(workshop, leaf, [alteredMiddle], to: [root]).expect(.signatureWrong)
    }

    @Test("Among issuers of one name the one whose key fits is taken")
    func sameName() throws {
        let plain = Workshop.authority + ["subjectKeyIdentifier=none", "authorityKeyIdentifier=none"]
        let one = try workshop.make("one", "/CN=Twin", by: root, plain)
        let two = try workshop.make("two", "/CN=Twin", by: root, plain)
        let end = try workshop.make("end", "/CN=end", by: two, ["authorityKeyIdentifier=none"])
        for intermediates in [[one, two], [two, one]] {
            let check = TrustCheck(workshop, end, intermediates, to: [root])
            #expect(try check.result.get() == [end, two, root].map(\.certificate))
        }
        for anchors in [[one, two], [two, one]] {
            #expect(try TrustCheck(workshop, end, to: anchors).result.get() == [end, two].map(\.certificate))
        }
        try TrustCheck(workshop, end, [one], to: [root]).expect(.signatureWrong)
    }

    @Test("Certificates that sign each other end nowhere, or at the anchor")
    func loop() throws {
        let a = try workshop.make("a", "/CN=A", Workshop.authority)
        let b = try workshop.make("b", "/CN=B", Workshop.authority)
        let aByB = try workshop.renew("a-by-b", of: a, "/CN=A", by: b, Workshop.authority)
        let bByA = try workshop.renew("b-by-a", of: b, "/CN=B", by: a, Workshop.authority)
        let end = try workshop.make("end", "/CN=end", by: a)
        try TrustCheck(workshop, end, [aByB, bByA], to: [root]).expect(.notAnchored)
        #expect(
            try TrustCheck(workshop, end, [bByA, aByB], to: [b]).result.get() == [end, aByB, b].map(\.certificate))
    }

    @Test("A chain of more than twenty authorities is too long")
    func depth() throws {
        var signer = root
        var all: [Workshop.Made] = []
        for index in 0..<22 {
            signer = try workshop.make("deep\(index)", "/CN=Deep \(index)", by: signer, Workshop.authority)
            all.append(signer)
        }
        let shallow = try workshop.make("shallow", "/CN=end", by: all[18])
        #expect(TrustCheck(workshop, shallow, all, to: [root]).result.failure == nil)
        let deep = try workshop.make("deep", "/CN=end", by: all[21])
        #expect(TrustCheck(workshop, deep, all, to: [root]).result.failure == .chainTooLong)
    }

    @Test("Ten thousand issuers of one name are not all tried")
    func crowd() throws {
        let plain = Workshop.authority + ["subjectKeyIdentifier=none", "authorityKeyIdentifier=none"]
        let one = try workshop.make("one", "/CN=Twin", by: root, plain)
        let end = try workshop.make("end", "/CN=end", by: one, ["authorityKeyIdentifier=none"])
        let serial = try #require(end.certificate.serialNumber.isEmpty ? nil : one.certificate.serialNumber)
        let start = try #require(one.certificate.der.firstRange(of: serial)).lowerBound
        var crowd: [Certificate] = []
        for number in 0..<10_000 {
            var der = one.certificate.der
            der[start + 1] = UInt8(number >> 8)
            der[start + 2] = UInt8(number & 0xFF)
            // The last byte of the signature: no issuer's key fits any of them.
            der[der.count - 1] ^= 1
            crowd.append(try Certificate(der: der))
        }
        var evaluation = TrustCheck(workshop, end, to: [root]).evaluation
        evaluation.intermediates = crowd
        guard case .refused(.signatureWrong, _) = evaluation.outcome() else {
            Issue.record("an altered issuer is trusted")
            return
        }
        evaluation.intermediates = crowd + [one.certificate]
        evaluation.anchors = crowd
        guard case .trusted = evaluation.outcome() else {
            Issue.record("an anchor needs a signature")
            return
        }
    }

    private func altered(
        _ made: Workshop.Made, _ name: String, _ change: (inout [UInt8]) -> Void
    ) throws -> Workshop.Made {
        var der = made.certificate.der
        change(&der)
        let certificate = try Certificate(der: der)
        try workshop.write("\(name).pem", Array(certificate.pem.utf8))
        return Workshop.Made(
            certificate: certificate, certificateFile: workshop.path("\(name).pem"), keyFile: made.keyFile)
    }
}
