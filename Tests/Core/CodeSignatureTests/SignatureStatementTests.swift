import LatchkeyCodeSignature
import LatchkeyPropertyListDER
import Testing

@Suite("A statement")
struct SignatureStatementTests {
    private let signed = Signed()

    @Test("comes back from its encoding as it was")
    func roundTrip() throws {
        let statement = try signed.statement()
        let back = try SignatureStatement(decoding: statement.encoded())
        #expect(back == statement)
        #expect(back.application == signed.application)
        #expect(back.team == signed.team)
        #expect(back.digest == Signed.digest)
        #expect(back.date == Signed.date)
        #expect(back.needs == 1)
        #expect(back.entitlements.keychainGroups == [signed.team.text + ".shared"])
        #expect(back.entitlements.dictionary["unknown"] == .integer(7))
    }

    @Test("says who may join which groups")
    func groups() throws {
        let own = signed.team.text
        let statement = try signed.statement([
            "application-identifier": .string(signed.application),
            "keychain-access-groups": .array([.string(own + ".a"), .string("com.apple.token")]),
            "com.apple.security.application-groups": .array([.string("group.b"), .string(own + ".c")]),
        ])
        #expect(
            statement.entitlements.accessGroups
                == [own + ".a", signed.application, "group.b", own + ".c", "com.apple.token"])
    }

    @Test("lets a program give the passcode only where its entitlement says true")
    func givesPasscode() throws {
        let key = "org.latchkey.authentication.passcode"
        #expect(try signed.statement([key: .boolean(true)]).entitlements.givesPasscode)
        #expect(try !signed.statement([key: .boolean(false)]).entitlements.givesPasscode)
        #expect(try !signed.statement().entitlements.givesPasscode)
    }

    struct Claim: Sendable, CustomTestStringConvertible {
        let key: String
        let value: PropertyValue
        let rule: String

        init(_ key: String, _ value: PropertyValue, _ rule: String) {
            self.key = key
            self.value = value
            self.rule = rule
        }

        var testDescription: String { "\(key): \(value)" }
    }

    @Test(
        "with entitlements that break a rule is not made",
        arguments: [
            Claim("keychain-access-groups", .string("one"), "entitlements-malformed"),
            Claim("keychain-access-groups", .array([.integer(1)]), "entitlements-malformed"),
            Claim("keychain-access-groups", .array([.string("")]), "entitlements-malformed"),
            Claim(
                "keychain-access-groups", .array([PropertyValue](repeating: .string("a"), count: 257)),
                "entitlements-malformed"),
            Claim("com.apple.private.keychain.deny", .integer(1), "entitlements-malformed"),
            Claim("org.latchkey.authentication.passcode", .string("true"), "entitlements-malformed"),
            Claim("org.latchkey.minimum-assurance-level", .string("D"), "entitlements-malformed"),
            Claim("anything", .null, "entitlements-malformed"),
            Claim("anything", .array([.dictionary(["deep": .secret(0)])]), "entitlements-malformed"),
            Claim("anything", .reference(kind: "SecAccessControl", bytes: []), "entitlements-malformed"),
            Claim("application-identifier", .string("ABCDEFGHIJ.com.example.mail"), "entitlements-other-application"),
            Claim("com.apple.application-identifier", .string("other"), "entitlements-other-application"),
            Claim("keychain-access-groups", .array([.string("ABCDEFGHIJ.shared")]), "entitlements-foreign-group"),
            Claim("keychain-access-groups", .array([.string("*")]), "entitlements-foreign-group"),
            Claim("keychain-access-groups", .array([.string("unsigned.mail")]), "entitlements-foreign-group"),
            Claim(
                "com.apple.developer.associated-application-identifier", .array([.string("ABCDEFGHIJ.x")]),
                "entitlements-foreign-group"),
            Claim(
                "com.apple.security.application-groups", .array([.string("unsigned.mail")]),
                "entitlements-foreign-group"),
            Claim("com.apple.security.application-groups", .array([.string("*")]), "entitlements-foreign-group"),
            Claim(
                "com.apple.security.application-groups", .array([.string("com.apple.token")]),
                "entitlements-foreign-group"),
            Claim("anything", .data([UInt8](repeating: 0, count: 16_384)), "signature-too-large"),
        ])
    func badEntitlements(_ claim: Claim) {
        expectRule(claim.rule) {
            let entitlements: ProgramEntitlements
            do throws(ProgramEntitlements.Failure) {
                entitlements = try ProgramEntitlements([claim.key: claim.value])
            } catch {
                // The tool that reads a file of entitlements says the same with the same name.
                throw SignatureFailure.malformedEntitlements(error.description)
            }
            _ = try signed.statement(entitlements.dictionary)
        }
    }

    @Test(
        "about something that is no application of its team is not made",
        arguments: [
            ("ABCDEFGHIJ.com.example", "signature-team-mismatch"), ("com.example", "signature-team-mismatch"),
            ("", "signature-team-mismatch"), ("TEAM", "signature-team-mismatch"), ("TEAM.", "signature-malformed"),
            ("TEAM..a", "signature-malformed"), ("TEAM.a.", "signature-malformed"), ("TEAM.a b", "signature-malformed"),
            ("TEAM.a/b", "signature-malformed"), ("TEAM.é", "signature-malformed"), ("TEAM.a\0", "signature-malformed"),
            ("TEAM." + String(repeating: "a", count: 256), "signature-malformed"),
        ])
    func badApplication(_ application: String, _ rule: String) {
        let application = application.hasPrefix("TEAM") ? signed.team.text + application.dropFirst(4) : application
        expectRule(rule) { _ = try signed.statement(application: application) }
    }

    /// The fields of a sound statement.
    private func fields() throws -> [String: PropertyValue] {
        guard case .dictionary(let fields) = try DERReader.decode(try signed.statement().encoded()) else { return [:] }
        return fields
    }

    @Test(
        "with a field that breaks a rule is refused",
        arguments: [
            ("version", .integer(2), "signature-too-new"), ("version", .integer(0), "signature-malformed"),
            ("version", .string("1"), "signature-malformed"), ("needs", .integer(2), "signature-too-new"),
            ("needs", .integer(0), "signature-malformed"), ("needs", .integer(-1), "signature-malformed"),
            ("algorithm", .string("sha1"), "signature-malformed"), ("algorithm", .integer(1), "signature-malformed"),
            ("digest", .data([1]), "signature-malformed"),
            ("digest", .data([UInt8](repeating: 0, count: 33)), "signature-malformed"),
            ("digest", .string("d"), "signature-malformed"), ("date", .integer(1), "signature-malformed"),
            ("team", .string("short"), "signature-malformed"),
            ("team", .string("ABCDEFGHIJ"), "signature-team-mismatch"),
            ("application", .data([]), "signature-malformed"), ("entitlements", .array([]), "signature-malformed"),
            ("more", .integer(1), "signature-malformed"),
        ] as [(String, PropertyValue, String)])
    func badField(_ key: String, _ value: PropertyValue, _ rule: String) throws {
        let fields = try fields().merging([key: value]) { $1 }
        expectRule(rule) { _ = try SignatureStatement(decoding: DERWriter.encode(.dictionary(fields))) }
    }

    @Test("without one of its fields is refused")
    func missingField() throws {
        let fields = try fields()
        #expect(fields.count == 8)
        for key in fields.keys {
            let less = fields.filter { $0.key != key }
            expectRule("signature-malformed", "\(key)") {
                _ = try SignatureStatement(decoding: DERWriter.encode(.dictionary(less)))
            }
        }
    }

    @Test("has one encoding: a true that is written otherwise, or bytes behind, are refused")
    func canonical() throws {
        let bytes = try signed.statement(["com.apple.private.keychain.deny": .boolean(true)]).encoded()
        let place = try #require(bytes.indices.dropLast(2).first { Array(bytes[$0...$0 + 2]) == [1, 1, 1] })
        var other = bytes
        other[place + 2] = 0xFF
        for damaged in [other, bytes + [0], Array(bytes.dropLast()), [], [0x31, 0x80]] {
            expectRule("signature-malformed") { _ = try SignatureStatement(decoding: damaged) }
        }
    }

    @Test("keeps its date to the microsecond")
    func date() throws {
        let statement = try signed.statement(date: 1.000_000_4)
        #expect(statement.date == 1)
        #expect(statement == (try SignatureStatement(decoding: statement.encoded())))
    }
}
