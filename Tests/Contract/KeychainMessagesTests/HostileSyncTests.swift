import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("Bytes about a circle never become a message by mistake")
struct HostileSyncTests {
    private typealias Row = HostileMessageTests.Row

    private static func request(_ fields: PropertyValue...) -> PropertyValue {
        .array([.integer(3), .array(fields)])
    }

    private static let store = PropertyValue.string("folder:/srv/sync")
    private static let name = PropertyValue.string("laptop")
    private static let device = PropertyValue.data(Samples.member)
    private static func text(_ count: Int) -> PropertyValue { .string(String(repeating: "x", count: count)) }
    private static func bytes(_ count: Int) -> PropertyValue { .data([UInt8](repeating: 1, count: count)) }

    private static let requests = [
        Row("a store without a kind", request(.integer(50), .string("/srv"), name, .null), .badField("store")),
        Row("a store of another kind", request(.integer(50), .string("etcd:h"), name, .null), .badField("store")),
        Row(
            "a server without encryption", request(.integer(50), .string("etcd:http://h"), name, .null),
            .badField("store")),
        Row(
            "too many servers",
            request(
                .integer(50), .string("etcd:" + (0..<10).map { "https://h\($0)" }.joined(separator: ",")), name, .null),
            .badField("store")),
        Row(
            "a store by a relative path", request(.integer(50), .string("folder:srv"), name, .null), .badField("store")),
        Row(
            "a store with a null byte", request(.integer(50), .string("folder:/s\0"), name, .null),
            .badField("store")),
        Row(
            "a store that is too long",
            request(.integer(50), .string("folder:/" + String(repeating: "s", count: 4089)), name, .null),
            .badField("store")),
        Row("a store as bytes", request(.integer(50), .data([1]), name, .null), .badField("store")),
        Row("an empty name", request(.integer(50), store, .string(""), .null), .badField("name")),
        Row("a name that is too long", request(.integer(50), store, text(256), .null), .badField("name")),
        Row(
            "a founding without a place for the passcode", request(.integer(50), store, name), .fieldMissing("passcode")
        ),
        Row("a passcode in clear", request(.integer(50), store, name, .string("1")), .badField("passcode")),
        Row("an invitation without a place for the passcode", request(.integer(51)), .fieldMissing("passcode")),
        Row("joining without a code", request(.integer(53), store, name, .null), .fieldMissing("code")),
        Row("a code in clear", request(.integer(53), store, name, .null, .string("C")), .badField("code")),
        Row(
            "a code that did not come", request(.integer(53), store, name, .null, .secret(0)),
            .secretMissing(index: 0, count: 0)),
        Row(
            "the passcode as the code", request(.integer(53), store, name, .array([.secret(0)]), .secret(0)),
            secrets: 1, .badField("code")),
        Row(
            "a secret beside the code", request(.integer(59), store, name, .null, .secret(0)), secrets: 2,
            .badField("code")),
        Row("a device with a short identifier", request(.integer(55), bytes(15), .null, .null), .badField("device")),
        Row("an approval of a code", request(.integer(55), device, text(22), .null), .badField("fingerprint")),
        Row(
            "an approval of a short fingerprint", request(.integer(55), device, text(25), .null),
            .badField("fingerprint")),
        Row("a request by a number", request(.integer(54), .integer(1)), .badField("fingerprint")),
        Row("a question about a long fingerprint", request(.integer(54), text(27)), .badField("fingerprint")),
        Row("a fingerprint in small letters", request(.integer(54), text(26)), .badField("fingerprint")),
        Row("asking no member", request(.integer(71), store, name, .null, .null), .badField("member")),
        Row("asking a member by its code", request(.integer(71), store, name, text(28), .null), .badField("member")),
        Row(
            "a fingerprint with hyphens",
            request(.integer(71), store, name, .string(Samples.fingerprint.grouped), .null),
            .badField("member")),
        Row(
            "a device with a long identifier", request(.integer(57), bytes(17), .boolean(true), .null),
            .badField("device")),
        Row("a device by name", request(.integer(57), .string("laptop"), .boolean(true), .null), .badField("device")),
        Row("a wish that is a number", request(.integer(57), device, .integer(1), .null), .badField("deletes items")),
        Row("leaving without a wish", request(.integer(58), .boolean(true), .null, .null), .badField("forced")),
        Row("a conflict by name", request(.integer(63), .string("1"), .null), .badField("conflict")),
        Row("a wait of no seconds", request(.integer(64), .null, .integer(0)), .badField("seconds")),
        Row("a wait that is too long", request(.integer(64), .null, .integer(21)), .badField("seconds")),
        Row("a wait after text", request(.integer(64), .string("1"), .integer(1)), .badField("known")),
        Row("an exchange with a field", request(.integer(65), .integer(0)), .fieldsLeft(1)),
        Row("a pause by number", request(.integer(67), .integer(1), .null), .badField("pauses")),
        Row("an empty group", request(.integer(66), .string(""), .boolean(true), .null), .badField("group")),
        Row("a group that is too long", request(.integer(66), text(256), .boolean(true), .null), .badField("group")),
        Row("conflicts without a place for the passcode", request(.integer(62)), .fieldMissing("passcode")),
        Row("a number after the last", request(.integer(73)), .badField("device request")),
    ]

    @Test("requests with a fault are refused by name", arguments: requests)
    private func faults(row: Row) {
        let secrets = (0..<row.secretCount).map { _ in Samples.secret("s") }
        #expect(throws: row.failure) {
            try MessageCoding.decodeRequest(body: DERWriter.encode(row.value), secrets: secrets)
        }
    }

    /// The fields of a report, with one of them replaced.
    private static func report(_ index: Int, _ value: PropertyValue) -> PropertyValue {
        let encoded = MessageCoding.encode(Samples.circleReport, to: DescribeCircle.self).body
        guard case .array(var fields)? = try? DERReader.decode(encoded), index + 2 < fields.count else {
            preconditionFailure("a report is a list")
        }
        fields[index + 2] = value
        return .array(fields)
    }

    private static let reports = [
        Row("an unknown membership", report(0, .integer(5)), .badField("membership")),
        Row("a circle of another length", report(1, bytes(15)), .badField("circle")),
        Row("a store by a relative path", report(3, .string("folder:x")), .badField("store")),
        Row("paused by a number", report(4, .integer(1)), .badField("paused")),
        Row("joining by a date", report(5, .date(0)), .badField("joining")),
        Row("fewer than no changes", report(8, .integer(-1)), .badField("waiting changes")),
        Row("counts that are a list", report(12, .array([])), .badField("local items")),
        Row("an unknown alarm", report(14, .array([.array([.integer(10), .null])])), .badField("alarm")),
        Row(
            "a fingerprint of other characters", report(16, .string("0123456789ABCDEFGHJKMNPQR-")),
            .badField("fingerprint")),
        Row("an approver of another length", report(18, bytes(17)), .badField("approver")),
        Row("a group that is bytes", report(19, .array([bytes(4)])), .badField("allowed groups")),
        Row("a device without fields", report(15, .array([.array([])])), .fieldMissing("device")),
        Row(
            "too many devices", report(15, .array([PropertyValue](repeating: .array([]), count: 1_001))),
            .tooMany(field: "devices", found: 1_001, limit: 1_000)),
    ]

    @Test("reports with a fault are refused by name", arguments: reports)
    private func badReports(row: Row) {
        #expect(throws: row.failure) {
            try MessageCoding.decodeAnswer(to: DescribeCircle.self, body: DERWriter.encode(row.value), secrets: [])
                .get()
        }
    }

    @Test("neither passcodes nor codes are part of a body")
    func secretsStayOutside() {
        let needle = Samples.secret("correct horse battery")
        var bodies = [
            MessageCoding.encode(CreateCircle(store: Samples.store, deviceName: "n", passcode: needle)).body,
            MessageCoding.encode(NewRecoveryCode(needle), to: CreateCircle.self).body,
            MessageCoding.encode(
                NewInvitation(needle, expires: WallTime(microsecondsSince2001: 0)), to: InviteDevice.self
            ).body,
            MessageCoding.encode(RemovedDevice(recoveryCode: needle, readableItems: [:]), to: RemoveDevice.self).body,
        ]
        bodies.append(
            MessageCoding.encode(JoinCircle(store: Samples.store, deviceName: "n", code: needle, passcode: needle)).body
        )
        for body in bodies { #expect(!String(decoding: body, as: UTF8.self).contains("horse")) }
    }
}
