import Foundation
import LatchkeyCertificates
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

@Suite("Searches that look into certificates")
struct CertificateMatchTests {
    /// root → middle → leaf, with a stranger beside them; all stored, the root last.
    private struct Stage {
        let keychain: TestKeychain
        let root: Certificate
        let middle: Certificate
        let leaf: Certificate
        let stranger: Certificate

        init(storesMiddle: Bool = true) throws {
            keychain = try TestKeychain()
            keychain.setClockToNow()
            let authority = try CertificateAuthority()
            let root = try authority.root("root", subject: "/O=Example/CN=Root")
            let middle = try authority.issue(
                "middle", subject: "/O=Example/CN=Middle", by: root,
                extensions: ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"])
            let leaf = try authority.issue(
                "leaf", subject: "/O=Example/CN=Leaf", by: middle,
                extensions: ["subjectAltName=email:One@Example.com,DNS:www.example.com"])
            self.root = try root.parsed
            self.middle = try middle.parsed
            self.leaf = try leaf.parsed
            stranger = try authority.root("stranger", subject: "/CN=Stranger").parsed
            // The stranger comes first: a limit of one must not stop at it.
            for certificate in [stranger, self.leaf] { #expect(keychain.store(certificate).code == .success) }
            if storesMiddle { #expect(keychain.store(self.middle).code == .success) }
            #expect(keychain.store(self.root).code == .success)
        }

        func names(_ match: [String: PropertyValue], limit: PropertyValue = .string("m_LimitAll")) -> [String] {
            let reply = keychain.call(
                .find, .certificate, match.merging(["m_Limit": limit, "r_Attributes": .boolean(true)]) { $1 })
            guard reply.code == .success else { return reply.code == .itemNotFound ? [] : ["\(reply.code)"] }
            let entries = reply.list.isEmpty ? [reply.result ?? .null] : reply.list
            return entries.map { entry in
                guard case .dictionary(let attributes) = entry, case .string(let name)? = attributes["labl"] else {
                    return "?"
                }
                return name
            }
        }
    }

    private static func issuers(_ names: [UInt8]...) -> [String: PropertyValue] {
        ["m_Issuers": .array(names.map { .data($0) })]
    }

    @Test("by issuer, up the chain of stored certificates")
    func issuers() throws {
        let stage = try Stage()
        #expect(stage.names(Self.issuers(stage.middle.subject)) == ["Leaf"])
        #expect(stage.names(Self.issuers(stage.root.subject)) == ["Leaf", "Middle", "Root"])
        #expect(stage.names(Self.issuers(stage.root.normalisedSubject)) == ["Leaf", "Middle", "Root"])
        #expect(stage.names(Self.issuers(stage.leaf.subject)) == [])
        #expect(stage.names(Self.issuers(stage.leaf.subject, stage.stranger.subject)) == ["Stranger"])
        #expect(stage.names(Self.issuers(stage.root.subject), limit: .string("m_LimitOne")) == ["Leaf"])
        #expect(stage.names(Self.issuers(stage.root.subject), limit: .integer(2)) == ["Leaf", "Middle"])
        // Bytes that are not a name match no issuer; a value that is not data is dropped, and nothing is left to ask
        // for.
        #expect(stage.names(Self.issuers([1, 2, 3])) == [])
        #expect(stage.names(["m_Issuers": .array([.string("Root")])]).count == 4)
        #expect(stage.names(["m_Issuers": .string("Root")]) == ["\(LatchkeyItemModel.ResultCode.param)"])
    }

    @Test("a chain ends where the next certificate is not stored, or not the program's")
    func brokenChain() throws {
        let stage = try Stage(storesMiddle: false)
        #expect(stage.names(Self.issuers(stage.root.subject)) == ["Root"])
        #expect(stage.keychain.store(stage.middle, ["agrp": .string("h")]).code == .success)
        #expect(stage.names(Self.issuers(stage.root.subject)) == ["Leaf", "Root", "Middle"])
        let ours = Caller(name: "app", accessGroups: ["g"])
        let reply = stage.keychain.call(
            .find, .certificate,
            Self.issuers(stage.root.subject).merging(["m_Limit": .string("m_LimitAll"), "r_Data": .boolean(true)]) {
                $1
            }, caller: ours)
        #expect(reply.list.count == 1)
    }

    @Test("a chain goes through all groups of the program, whichever the query names")
    func groups() throws {
        let stage = try Stage(storesMiddle: false)
        #expect(stage.keychain.store(stage.middle, ["agrp": .string("h")]).code == .success)
        let query = Self.issuers(stage.root.subject).merging(["agrp": .string("g")]) { $1 }
        #expect(stage.names(query) == ["Leaf", "Root"])
    }

    /// A name of one common name, as DER.
    private static func name(_ text: String) throws -> [UInt8] {
        func wrapped(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }
        let attribute = wrapped(0x06, [0x55, 0x04, 0x03]) + wrapped(0x0C, Array(text.utf8))
        let der = wrapped(0x30, wrapped(0x31, wrapped(0x30, attribute)))
        return try #require(Certificate.normalised(name: der))
    }

    @Test("a name that is far up one chain and near in another is followed from where it is near")
    func twoWays() throws {
        let keychain = try TestKeychain()
        keychain.setClockToNow()
        let leaf = try CertificateAuthority().root("leaf", subject: "/CN=N0").parsed
        // The long way is stored first.
        let long = (0...9).map { ("N\($0)", $0 == 9 ? "Z" : "N\($0 + 1)") }
        for (index, (subject, issuer)) in (long + [("N0", "Z"), ("Z", "Y"), ("Y", "X"), ("Y", "N0")]).enumerated() {
            let attributes: [String: PropertyValue] = [
                "subj": .data(try Self.name(subject)), "issr": .data(try Self.name(issuer)),
                "slnr": .data([UInt8(index)]),
            ]
            #expect(keychain.call(.add, .certificate, attributes, data: [1]).code == .success)
        }
        #expect(keychain.store(leaf).code == .success)
        for name in ["X", "Y", "Z", "N1", "N9"] {
            #expect(keychain.count(.certificate, Self.issuers(try Self.name(name))) == 1, "\(name)")
        }
        #expect(keychain.count(.certificate, Self.issuers(try Self.name("W"))) == 0)
    }

    @Test("by date, both ends included")
    func dates() throws {
        let stage = try Stage()
        let now = stage.keychain.clock.wallTime().seconds
        #expect(stage.names(["m_ValidOnDate": .null]).count == 4)
        #expect(stage.names(["m_ValidOnDate": .date(now - 400 * 86_400)]) == [])
        let only = stage.names(["m_ValidOnDate": .date(now + 25 * 86_400)])
        #expect(Set(only) == ["Stranger", "Root"])
        for date in [stage.leaf.notValidBefore, stage.leaf.notValidAfter] {
            #expect(stage.names(["m_ValidOnDate": .date(date)]).contains("Leaf"))
        }
        #expect(!stage.names(["m_ValidOnDate": .date(stage.leaf.notValidAfter + 1)]).contains("Leaf"))
        #expect(!stage.names(["m_ValidOnDate": .date(stage.leaf.notValidBefore - 1)]).contains("Leaf"))
        #expect(stage.names(["m_ValidOnDate": .integer(1)]) == ["\(LatchkeyItemModel.ResultCode.param)"])
        stage.keychain.clock.advance(by: 25 * 86_400)
        #expect(Set(stage.names(["m_ValidOnDate": .null])) == ["Stranger", "Root"])
    }

    @Test("by e-mail address, in any case of letters")
    func emailAddresses() throws {
        let stage = try Stage()
        for address in ["one@example.com", "ONE@EXAMPLE.COM"] {
            #expect(stage.names(["m_EmailAddressIfPresent": .string(address)]) == ["Leaf"])
        }
        #expect(stage.names(["m_EmailAddressIfPresent": .string("two@example.com")]) == [])
        #expect(stage.names(["m_EmailAddressIfPresent": .string("")]) == [])
        // The limit counts what fits.
        #expect(
            stage.names(["m_EmailAddressIfPresent": .string("one@example.com")], limit: .integer(1)) == ["Leaf"])
    }

    @Test("by trust: certificates below no anchor of the system are left out; bytes that are not a policy are refused")
    func trust() throws {
        let stage = try Stage()
        #expect(stage.names(["m_TrustedOnly": .boolean(true)]) == [])
        #expect(stage.names(["m_TrustedOnly": .boolean(false)]).count == 4)
        for policy in [
            TrustEvaluation.Policy.basicX509, .ssl(isServer: true, hostName: "www.example.com"),
            .revocation(flags: 0),
        ] {
            #expect(stage.names(["m_Policy": PolicyReference.value(of: policy)]) == [])
        }
        #expect(
            stage.names(["m_Policy": .reference(kind: "SecPolicy", bytes: [1])])
                == ["\(LatchkeyItemModel.ResultCode.param)"])
        #expect(stage.names(["m_Policy": .string("x")]) == ["\(LatchkeyItemModel.ResultCode.param)"])
    }

    @Test("by trust: with an anchor of the system the chain goes through stored certificates, for host and purpose")
    func trustedBySystemInOwnProcess() async throws {
        // The environment belongs to the process, so it is changed in one of its own.
        await #expect(processExitsWith: .success) {
            let stage = try Stage()
            let file = stage.keychain.directory + "/anchors.pem"
            try stage.root.pem.write(toFile: file, atomically: true, encoding: .utf8)
            setenv("SSL_CERT_FILE", file, 1)
            setenv("SSL_CERT_DIR", "/nonexistent", 1)
            let trusted = stage.names(["m_TrustedOnly": .boolean(true)])
            guard trusted == ["Leaf", "Middle", "Root"] else { exit(2) }
            for (host, expected) in [("www.example.com", ["Leaf"]), ("www.example.org", [])] {
                let policy = PolicyReference.value(of: .ssl(isServer: true, hostName: host))
                guard stage.names(["m_Policy": policy]) == expected else { exit(3) }
            }
            // The date asked for is the date of the evaluation.
            let late = PropertyValue.date(stage.keychain.clock.wallTime().seconds + 25 * 86_400)
            guard stage.names(["m_TrustedOnly": .boolean(true), "m_ValidOnDate": late]) == ["Root"] else { exit(4) }
            // Without the certificate between them nothing leads to the anchor.
            guard stage.keychain.call(.delete, .certificate, ["labl": .string("Middle")]).code == .success,
                stage.names(["m_TrustedOnly": .boolean(true)]) == ["Root"]
            else { exit(5) }
        }
    }

    @Test("data that is not a certificate fits no question about certificates")
    func noCertificate() throws {
        let keychain = try TestKeychain()
        #expect(keychain.call(.add, .certificate, data: [0x30, 0]).code == .success)
        #expect(keychain.call(.find, .certificate, ["m_ValidOnDate": .null]).code == .itemNotFound)
        #expect(keychain.call(.find, .certificate).code == .success)
    }

    @Test("certificates that name each other as issuers are followed once")
    func circle() throws {
        let keychain = try TestKeychain()
        keychain.setClockToNow()
        let authority = try CertificateAuthority()
        let one = try authority.root("one", subject: "/CN=One")
        let other = try authority.issue("other", subject: "/CN=Other", by: one)
        // One, issued by Other: with its own name and another key.
        let back = try authority.issue("back", subject: "/CN=One", by: other)
        for issued in [other, back] { #expect(keychain.store(try issued.parsed).code == .success) }
        #expect(
            keychain.count(.certificate, Self.issuers(try authority.root("x", subject: "/CN=X").parsed.subject)) == 0)
        #expect(keychain.count(.certificate, Self.issuers(try one.parsed.subject)) == 2)
    }

    @Test(
        "a policy has one form on the wire",
        arguments: [
            TrustEvaluation.Policy.basicX509, .ssl(isServer: true, hostName: nil),
            .ssl(isServer: false, hostName: "example.com"), .revocation(flags: 1 << 40),
        ])
    func policies(policy: TrustEvaluation.Policy) throws {
        let value = PolicyReference.value(of: policy)
        #expect(PolicyReference.policy(value) == policy)
        guard case .reference(_, let bytes) = value else { throw Unexpected() }
        #expect(PolicyReference.policy(.reference(kind: "SecKey", bytes: bytes)) == nil)
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 0x41
            if let read = PolicyReference.policy(other) { #expect(PolicyReference.bytes(of: read) == other) }
        }
    }
}
