import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("Bytes about teams and apps never become a message by mistake")
struct HostileRegistryTests {
    private typealias Row = HostileMessageTests.Row

    private static func request(_ fields: PropertyValue...) -> PropertyValue {
        .array([.integer(3), .array(fields)])
    }

    private static let key = PropertyValue.data(Samples.key(1).bytes)
    private static let passcode = PropertyValue.array([.secret(0)])

    private static let requests = [
        Row("no number", request(), .fieldMissing("device request")),
        Row("unknown number", request(.integer(99)), .badField("device request")),
        Row("number is text", request(.string("teams")), .badField("device request")),
        Row("a field too many", request(.integer(3), .null), .fieldsLeft(1)),
        Row("a secret too many", request(.integer(4)), secrets: 1, .badEnclaveMessage(.secretsLeft(1))),
        Row("no key", request(.integer(1)), .fieldMissing("key")),
        Row("key is text", request(.integer(1), .string("key"), .string("n"), .null, .null), .badField("key")),
        Row(
            "key too short", request(.integer(1), .data([4, 1, 2]), .string("n"), .null, .null), .badField("key")),
        Row(
            "compressed key",
            request(.integer(1), .data([2] + [UInt8](repeating: 1, count: 64)), .string("n"), .null, .null),
            .badField("key")),
        Row("name is data", request(.integer(1), key, .data([1]), .null, .null), .badField("name")),
        Row("end is a number", request(.integer(1), key, .string("n"), .integer(1), .null), .badField("expires")),
        Row("passcode in clear", request(.integer(1), key, .string("n"), .null, .string("1")), .badField("passcode")),
        Row("passcode missing", request(.integer(1), key, .string("n"), .null), .fieldMissing("passcode")),
        Row(
            "a passcode that did not come", request(.integer(1), key, .string("n"), .null, passcode),
            .secretMissing(index: 0, count: 0)),
        Row(
            "more secrets than the passcode", request(.integer(1), key, .string("n"), .null, passcode), secrets: 2,
            .badField("passcode")),
        Row(
            "a secret beside no passcode", request(.integer(1), key, .string("n"), .null, .null), secrets: 1,
            .badEnclaveMessage(.secretsLeft(1))),
        Row(
            "two passcodes", request(.integer(6), .boolean(true), .array([.secret(0), .secret(0)])), secrets: 1,
            .fieldsLeft(1)),
        Row("team is not an identifier", request(.integer(2), .string("team"), .null), .badField("team")),
        Row("team in small letters", request(.integer(2), .string("abcdefghij"), .null), .badField("team")),
        Row("application is data", request(.integer(5), .data([]), .null, .null), .badField("application")),
        Row("removal is a number", request(.integer(5), .string("a"), .integer(1), .null), .badField("removes items")),
        Row("option without a value", request(.integer(6), .null, .null), .badField("removes items")),
        Row("a question with a field", request(.integer(8), .null), .fieldsLeft(1)),
        Row("an adoption without a place for the passcode", request(.integer(9)), .fieldMissing("passcode")),
        Row("a passcode that is text", request(.integer(10), .string("1")), .badField("passcode")),
        Row("an unknown cause of endings", request(.integer(20), .integer(4)), .badField("cause")),
        Row("endings beside a secret", request(.integer(20), .integer(1)), secrets: 1, .badField("device request")),
        Row("ended items beside a secret", request(.integer(21), .integer(1)), secrets: 1, .badField("device request")),
        Row("ended items without a limit", request(.integer(21)), .fieldMissing("limit")),
    ]

    @Test("requests with a fault are refused by name", arguments: requests)
    private func faults(row: Row) {
        let secrets = (0..<row.secretCount).map { _ in Samples.secret("s") }
        #expect(throws: row.failure) {
            try MessageCoding.decodeRequest(body: DERWriter.encode(row.value), secrets: secrets)
        }
    }

    private static func team(_ fields: PropertyValue...) -> PropertyValue {
        .array([.integer(4), .integer(5), .array([.array(fields)])])
    }

    private static func app(
        team: PropertyValue = .null, level: String = "B", groups: PropertyValue = .array([]), itemCount: Int64 = 3,
        more: [PropertyValue] = []
    ) -> PropertyValue {
        let fields = [
            .string("a"), team, .string(level), groups, .data([]), .string("/a"), .date(1), .date(2),
            .integer(itemCount),
        ]
        return .array([.integer(4), .integer(6), .array([.array(fields + more)])])
    }

    private static let replies = [
        Row("teams are not a list", .array([.integer(4), .integer(5), .null]), .badField("teams")),
        Row("a team is not a list", .array([.integer(4), .integer(5), .array([.integer(1)])]), .badField("teams")),
        Row(
            "too many teams",
            .array([.integer(4), .integer(5), .array(Array(repeating: .null, count: TrustedTeam.listLimit + 1))]),
            .tooMany(field: "teams", found: TrustedTeam.listLimit + 1, limit: TrustedTeam.listLimit)),
        Row("a team without a key", team(.null), .badField("key")),
        Row(
            "a team with a field too many",
            team(key, .string("n"), .date(1), .null, .null, .boolean(false), .null), .fieldsLeft(1)),
        Row("an app of no team", app(team: .string("x")), .badField("team")),
        Row("an app of no level", app(level: "D"), .badField("level")),
        Row("a group that is not text", app(groups: .array([.integer(1)])), .badField("groups")),
        Row(
            "too many groups",
            app(groups: .array(Array(repeating: .string("g"), count: SeenApplication.groupLimit + 1))),
            .tooMany(
                field: "groups", found: SeenApplication.groupLimit + 1,
                limit: SeenApplication.groupLimit)),
        Row("an app with a field too many", app(more: [.null]), .fieldsLeft(1)),
        Row("an app with fewer than no items", app(itemCount: -1), .badField("item count")),
        Row(
            "fewer than no items removed", .array([.integer(4), .integer(7), .integer(-1)]), .badField("removed items")),
        Row(
            "declined for no reason", .array([.integer(4), .integer(8), .integer(-50), .null]), .fieldMissing("refusal")
        ),
        Row("declined with no code", .array([.integer(4), .integer(8), .integer(1 << 40), .null]), .badField("code")),
    ]

    /// The question whose answer has the number of the row.
    private static let questions: [Int64: any KeychainQuestion.Type] = [
        5: ListTeams.self, 6: ListApplications.self, 7: ForgetApplication.self, 8: ListTeams.self,
    ]

    @Test("replies with a fault are refused by name", arguments: replies)
    private func faultyReplies(row: Row) throws {
        guard case .array(let fields) = row.value, case .integer(let number) = fields[1] else { return }
        let question = try #require(Self.questions[number])
        #expect(throws: row.failure) {
            try MessageCoding.readAnswer(to: question, body: DERWriter.encode(row.value))
        }
    }

    @Test("neither the answer to another question nor an unknown number answers this one")
    func otherAnswers() {
        let done = MessageCoding.encode(Done(), to: TrustTeam.self).body
        for body in [done, DERWriter.encode(.array([.integer(4), .integer(99)]))] {
            #expect(throws: MessageCodingFailure.badField("reply")) {
                try MessageCoding.readAnswer(to: ListTeams.self, body: body)
            }
        }
    }

    private static let statuses: [(status: DeviceStatus, field: String)] = [
        (status(itemCounts: ["genp": -1]), "item counts"), (status(quarantinedRows: -1), "quarantined rows"),
        (status(endedItems: [EndedItemCount(reason: .keyDeleted, count: -1, lastDate: 0)]), "count"),
    ]

    private static func status(
        itemCounts: [String: Int64] = [:], quarantinedRows: Int64 = 0, endedItems: [EndedItemCount] = []
    ) -> DeviceStatus {
        DeviceStatus(
            enclave: Samples.status, kind: "daemon", directory: "/", itemCounts: itemCounts,
            quarantinedRows: quarantinedRows, damageReport: nil, endedItems: endedItems)
    }

    @Test("a status with fewer than no items is refused", arguments: statuses.indices)
    func negativeCounts(index: Int) {
        let (status, field) = Self.statuses[index]
        let message = MessageCoding.encode(status, to: DescribeDevice.self)
        #expect(throws: MessageCodingFailure.badField(field)) {
            try MessageCoding.readAnswer(to: DescribeDevice.self, body: message.body)
        }
    }

    @Test("more teams and apps than a reply holds are cut, and the reply can be read")
    func cut() throws {
        let team = TrustedTeam(key: Samples.key(1), name: "n", trusted: 1)
        let message = MessageCoding.encode(
            Array(repeating: team, count: TrustedTeam.listLimit + 5), to: ListTeams.self)
        let teams = try MessageCoding.decodeAnswer(to: ListTeams.self, body: message.body, secrets: []).get()
        #expect(teams.count == TrustedTeam.listLimit)
    }
}
