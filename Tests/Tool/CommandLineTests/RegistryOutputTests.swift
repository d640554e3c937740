import LatchkeyCodeSignature
import LatchkeyCommandLineTool
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import Testing

@Suite("Teams and apps as they are shown")
struct RegistryOutputTests {
    private static func key() throws -> TeamPublicKey {
        try #require(TeamPublicKey([4] + [UInt8](repeating: 7, count: 64)))
    }

    @Test(
        "a team is trusted, expired or revoked",
        arguments: [
            (nil, nil, false, "trusted 2001-01-01T00:00:01Z"),
            (2, nil, false, "trusted 2001-01-01T00:00:01Z, until 2001-01-01T00:00:02Z"),
            (2, nil, true, "trusted 2001-01-01T00:00:01Z, expired 2001-01-01T00:00:02Z"),
            (2, 3, true, "revoked 2001-01-01T00:00:03Z"),
        ] as [(WallTime?, WallTime?, Bool, String)])
    func teams(_ expires: WallTime?, _ revoked: WallTime?, _ isExpired: Bool, _ expected: String) throws {
        let key = try Self.key()
        let team = TrustedTeam(
            key: key, name: "A\u{1B}[2JB", trusted: 1, expires: expires, revoked: revoked, isExpired: isExpired)
        #expect(TeamList.text(team) == "\(key.identifier)  \(expected)  A\\u{1b}[2JB")
    }

    @Test("an app's text has its groups in their order, and nothing that moves the cursor")
    func app() {
        let app = RegisteredApplication(
            seen: SeenApplication(
                application: "TEAM.a\nb", team: nil, level: .c, accessGroups: ["one", "two\u{7}"],
                digest: [0xAB, 0xCD], path: "/opt/\u{202E}x"),
            firstSeen: 0, lastSeen: 86400, itemCount: 1)
        #expect(
            AppListing.text(app).split(separator: "\n") == [
                "App         TEAM.a\\u{a}b", "Team        none: it is not signed", "Level       C",
                "Program     /opt/\\u{202e}x", "SHA-256     abcd", "First seen  2001-01-01T00:00:00Z",
                "Last seen   2001-01-02T00:00:00Z", "Items       1 item", "Groups      one",
                "            two\\u{7}",
            ])
        #expect(AppListing.line(app) == "TEAM.a\\u{a}b  level C, 1 item, seen 2001-01-02T00:00:00Z")
    }

    @Test(
        "a rule that refuses has an exit code",
        arguments: [
            (Rule.teamOtherKey, ExitReason.teamKeyDiffers), (.teamNotKnown, .notRegistered),
            (.teamAliasNotKnown, .notRegistered), (.teamAliasTaken, .teamAliasTaken),
            (.appNotKnown, .notRegistered), (.teamTrustOver, .keychainRefused),
        ])
    func refusals(_ rule: Rule, _ status: ExitReason) {
        let failure = CommandFailure(ResultCode.param, Refusal(ruleName: rule.rawValue, reason: "R.", advice: "A."))
        #expect(failure.status == status)
        #expect(failure.text.contains("why: R."))
        #expect(failure.text.contains("do:  A."))
    }
}
