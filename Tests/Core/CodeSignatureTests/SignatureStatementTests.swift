import LatchkeyCodeSignature
import LatchkeyItemModel
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
        let rule: Rule

        init(_ key: String, _ value: PropertyValue, _ rule: Rule) {
            self.key = key
            self.value = value
            self.rule = rule
        }

        var testDescription: String { "\(key): \(value)" }
    }

    @Test(
        "with entitlements that break a rule is not made",
        arguments: [
            Claim("keychain-access-groups", .string("one"), .entitlementsMalformed),
            Claim("keychain-access-groups", .array([.integer(1)]), .entitlementsMalformed),
            Claim("keychain-access-groups", .array([.string("")]), .entitlementsMalformed),
            Claim(
                "keychain-access-groups", .array([PropertyValue](repeating: .string("a"), count: 257)),
                .entitlementsMalformed),
            Claim("com.apple.private.keychain.deny", .integer(1), .entitlementsMalformed),
            Claim("org.latchkey.authentication.passcode", .string("true"), .entitlementsMalformed),
            Claim("org.latchkey.minimum-assurance-level", .string("D"), .entitlementsMalformed),
            Claim("anything", .null, .entitlementsMalformed),
            Claim("anything", .array([.dictionary(["deep": .secret(0)])]), .entitlementsMalformed),
            Claim("anything", .reference(kind: "SecAccessControl", bytes: []), .entitlementsMalformed),
            Claim("application-identifier", .string("ABCDEFGHIJ.com.example.mail"), .entitlementsOtherApplication),
            Claim("com.apple.application-identifier", .string("other"), .entitlementsOtherApplication),
            Claim("keychain-access-groups", .array([.string("ABCDEFGHIJ.shared")]), .entitlementsForeignGroup),
            Claim("keychain-access-groups", .array([.string("*")]), .entitlementsForeignGroup),
            Claim("keychain-access-groups", .array([.string("unsigned.mail")]), .entitlementsForeignGroup),
            Claim(
                "com.apple.developer.associated-application-identifier", .array([.string("ABCDEFGHIJ.x")]),
                .entitlementsForeignGroup),
            Claim(
                "com.apple.security.application-groups", .array([.string("unsigned.mail")]),
                .entitlementsForeignGroup),
            Claim("com.apple.security.application-groups", .array([.string("*")]), .entitlementsForeignGroup),
            Claim(
                "com.apple.security.application-groups", .array([.string("com.apple.token")]),
                .entitlementsForeignGroup),
            Claim("anything", .data([UInt8](repeating: 0, count: 16_384)), .signatureTooLarge),
            Claim("org.latchkey.team-aliases", .string("A1B2C3D4E5"), .entitlementsMalformed),
            Claim("org.latchkey.team-aliases", .array([.string("A1B2C3D4E5.")]), .entitlementsMalformed),
            Claim("org.latchkey.team-aliases", .array([.string("a1b2c3d4e5")]), .entitlementsMalformed),
            Claim("org.latchkey.team-aliases", .array([.string("unsigned.m")]), .entitlementsMalformed),
            Claim("org.latchkey.team-aliases", .array([.string("")]), .entitlementsMalformed),
            Claim("org.latchkey.team-aliases", .array([.string("*")]), .entitlementsMalformed),
            Claim(
                "org.latchkey.team-aliases", .array([PropertyValue](repeating: .string("A1B2C3D4E5"), count: 17)),
                .entitlementsMalformed),
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

    @Test("may have groups of an alias that it names, and of no other prefix")
    func aliases() throws {
        let aliases: [String: PropertyValue] = ["org.latchkey.team-aliases": .array([.string("A1B2C3D4E5")])]
        for key in [
            "keychain-access-groups", "com.apple.developer.associated-application-identifier",
            "com.apple.security.application-groups",
        ] {
            let groups = ["A1B2C3D4E5.com.example.shared", signed.team.text + ".own"]
            let statement = try signed.statement(aliases.merging([key: .array(groups.map { .string($0) })]) { $1 })
            #expect(statement.entitlements.teamAliases.map(\.text) == ["A1B2C3D4E5"])
            #expect(Set(groups).isSubset(of: statement.entitlements.accessGroups))
            for group in ["A1B2C3D4E6.x", "A1B2C3D4E5", "A1B2C3D4E5x.y", "a1b2c3d4e5.x", "ABCDEFGHIJ.x"] {
                expectRule(.entitlementsForeignGroup) {
                    _ = try signed.statement(aliases.merging([key: .array([.string(group)])]) { $1 })
                }
            }
        }
        // Applications have the identifier of the team in front.
        expectRule(.signatureTeamMismatch) { _ = try signed.statement(application: "A1B2C3D4E5.mail", aliases) }
    }

    @Test(
        "about another team's application is not made",
        arguments: [
            ("ABCDEFGHIJ.com.example", Rule.signatureTeamMismatch), ("com.example", .signatureTeamMismatch),
            ("", .signatureTeamMismatch), ("TEAM", .signatureTeamMismatch), ("TEAM.", .signatureMalformed),
            ("TEAM..a", .signatureMalformed), ("TEAM.a.", .signatureMalformed), ("TEAM.a b", .signatureMalformed),
            ("TEAM.a/b", .signatureMalformed), ("TEAM.é", .signatureMalformed), ("TEAM.a\0", .signatureMalformed),
            ("TEAM." + String(repeating: "a", count: 256), .signatureMalformed),
        ])
    func badApplication(_ application: String, _ rule: Rule) {
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
            ("version", .integer(2), .signatureTooNew), ("version", .integer(0), .signatureMalformed),
            ("version", .string("1"), .signatureMalformed), ("needs", .integer(2), .signatureTooNew),
            ("needs", .integer(0), .signatureMalformed), ("needs", .integer(-1), .signatureMalformed),
            ("algorithm", .string("sha1"), .signatureMalformed), ("algorithm", .integer(1), .signatureMalformed),
            ("digest", .data([1]), .signatureMalformed),
            ("digest", .data([UInt8](repeating: 0, count: 33)), .signatureMalformed),
            ("digest", .string("d"), .signatureMalformed), ("date", .integer(1), .signatureMalformed),
            ("team", .string("short"), .signatureMalformed),
            ("team", .string("ABCDEFGHIJ"), .signatureTeamMismatch),
            ("application", .data([]), .signatureMalformed), ("entitlements", .array([]), .signatureMalformed),
            ("more", .integer(1), .signatureMalformed),
        ] as [(String, PropertyValue, Rule)])
    func badField(_ key: String, _ value: PropertyValue, _ rule: Rule) throws {
        let fields = try fields().merging([key: value]) { $1 }
        expectRule(rule) { _ = try SignatureStatement(decoding: DERWriter.encode(.dictionary(fields))) }
    }

    @Test("without one of its fields is refused")
    func missingField() throws {
        let fields = try fields()
        #expect(fields.count == 8)
        for key in fields.keys {
            let less = fields.filter { $0.key != key }
            expectRule(.signatureMalformed, "\(key)") {
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
            expectRule(.signatureMalformed) { _ = try SignatureStatement(decoding: damaged) }
        }
    }

    @Test("keeps its date to the microsecond")
    func date() throws {
        let statement = try signed.statement(date: 1.000_000_4)
        #expect(statement.date == 1)
        #expect(statement == (try SignatureStatement(decoding: statement.encoded())))
    }
}
