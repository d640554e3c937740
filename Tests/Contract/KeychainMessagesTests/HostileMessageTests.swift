import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@Suite("Bytes from outside never become a message by mistake")
struct HostileMessageTests {
    private static let illFormedTexts: [[UInt8]] = [
        // Halves of surrogate pairs, a pair of them as CESU-8 has it, an overlong slash, a cut character, beyond Unicode.
        [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], [0xC0, 0xAF], [0xE2, 0x82, 0x61],
        [0xF4, 0x90, 0x80, 0x80], [0xFF, 0xFF, 0xFF],
    ]

    @Test("text that is not UTF-8 makes no message, as a value or as a key", arguments: illFormedTexts)
    func illFormedText(_ bytes: [UInt8]) throws {
        let letters = String(repeating: "x", count: bytes.count)
        for query in [[PropertyValue.string("acct"), .string(letters)], [.string(letters), .string("a")]] {
            let body = DERWriter.encode(Self.item(query: query))
            let place = try #require(body.firstRange(of: Array(letters.utf8)))
            let altered = body[..<place.lowerBound] + bytes + body[place.upperBound...]
            #expect(throws: MessageCodingFailure.notDER(.textNotUTF8)) {
                try MessageCoding.decodeRequest(body: Array(altered), secrets: [])
            }
            #expect(throws: Never.self) { try MessageCoding.decodeRequest(body: body, secrets: []) }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let value: PropertyValue
        let secretCount: Int
        let failure: MessageCodingFailure

        init(_ name: String, _ value: PropertyValue, secrets: Int = 0, _ failure: MessageCodingFailure) {
            testDescription = name
            self.value = value
            secretCount = secrets
            self.failure = failure
        }
    }

    static func item(
        operation: PropertyValue = .integer(2), query: [PropertyValue] = [], changes: [PropertyValue] = [],
        result: PropertyValue = .boolean(true), owner: PropertyValue = .null, interaction: PropertyValue = .null,
        more: [PropertyValue] = []
    ) -> PropertyValue {
        .array([.integer(1), operation, .array(query), .array(changes), result, owner, interaction] + more)
    }

    static let requests = [
        Row("no list", .integer(1), .unexpectedMessage(found: nil)),
        Row("empty list", .array([]), .unexpectedMessage(found: nil)),
        Row("number is text", .array([.string("1")]), .unexpectedMessage(found: nil)),
        Row("unknown number", .array([.integer(20)]), .unexpectedMessage(found: 20)),
        Row("a reply", .array([.integer(2), .integer(0)]), .unexpectedMessage(found: 2)),
        Row("nothing but the number", .array([.integer(1)]), .fieldMissing("operation")),
        Row("unknown operation", item(operation: .integer(5)), .badField("operation")),
        Row("operation is text", item(operation: .string("add")), .badField("operation")),
        Row("key without value", item(query: [.string("class")]), .badField("query")),
        Row(
            "too many pairs",
            item(query: Array(repeating: .null, count: 2 * MessageCoding.pairsPerDictionary + 2)),
            .tooMany(
                field: "query", found: 2 * MessageCoding.pairsPerDictionary + 2,
                limit: 2 * MessageCoding.pairsPerDictionary)),
        Row(
            "a secret that did not come", item(query: [.string("v_Data"), .secret(0)]),
            .secretMissing(index: 0, count: 0)),
        Row(
            "a secret deep inside that did not come",
            item(changes: [.null, .array([.dictionary(["a": .secret(3)])])]), secrets: 3,
            .secretMissing(index: 3, count: 3)),
        Row("a secret as key", item(query: [.secret(1), .null]), secrets: 1, .secretMissing(index: 1, count: 1)),
        Row("wish is a number", item(result: .integer(1)), .badField("wants result")),
        Row("owner is text", item(owner: .string("*")), .badField("owner")),
        Row("owner without passcode", item(owner: .array([.string("*")])), .fieldMissing("owner's passcode")),
        Row(
            "owner's passcode is not the last secret", item(owner: .array([.string("*"), .secret(0)])), secrets: 2,
            .badField("owner's passcode")),
        Row(
            "query stores the owner's passcode",
            item(query: [.string("v_Data"), .secret(0)], owner: .array([.string("*"), .secret(0)])), secrets: 1,
            .badField("owner's passcode")),
        Row("a field too many", item(more: [.null]), .fieldsLeft(1)),
        Row("device request is text", .array([.integer(3), .string("status")]), .badField("device request")),
        Row(
            "device request is not a mailbox message", .array([.integer(3), .data([])]),
            .badEnclaveMessage(.truncated)),
        Row(
            "a mailbox message that only the keychain may send",
            .array([.integer(3), .data(EnclaveMessageCodec.encode(AwaitKeyChange(after: 1)).body)]),
            .badField("device request")),
        Row(
            "passcode missing",
            .array([
                .integer(3),
                .data(EnclaveMessageCodec.encode(UnlockDevice(Samples.secret("1"))).body),
            ]), .badEnclaveMessage(.secretMissing)),
    ]

    @Test("requests with a fault are refused by name", arguments: requests)
    func faults(row: Row) {
        let secrets = (0..<row.secretCount).map { _ in Samples.secret("s") }
        #expect(throws: row.failure) {
            try MessageCoding.decodeRequest(body: DERWriter.encode(row.value), secrets: secrets)
        }
    }

    @Test("replies with a fault are refused by name")
    func replies() {
        func decode(_ fields: [PropertyValue]) throws -> ItemReply {
            try MessageCoding.decodeItemReply(body: DERWriter.encode(.array([.integer(2)] + fields)), secrets: [])
        }
        #expect(throws: MessageCodingFailure.badField("code")) {
            try decode([.integer(1 << 40), .null, .null, .integer(0)])
        }
        #expect(throws: MessageCodingFailure.badField("affected rows")) {
            try decode([.integer(0), .null, .null, .integer(-1)])
        }
        #expect(throws: MessageCodingFailure.secretMissing(index: 0, count: 0)) {
            try decode([.integer(0), .array([.secret(0)]), .null, .integer(0)])
        }
        #expect(throws: MessageCodingFailure.unexpectedMessage(found: 4)) {
            try MessageCoding.decodeItemReply(body: MessageCoding.encode(Done(), to: TrustTeam.self).body, secrets: [])
        }
    }

    @Test("a refusal record names one of the three levels")
    func levels() throws {
        func decode(_ level: PropertyValue) throws -> [RefusalRecord] {
            let record: PropertyValue = .array([
                .date(0), .string("c"), .string("find"), .string("genp"), .string("g"), .string(""), .integer(-50),
                .array([.string("r"), .string(""), .string("")]), level, .null,
            ])
            return try MessageCoding.decodeAnswer(
                to: ListRefusals.self, body: DERWriter.encode(.array([.integer(4), .integer(3), .array([record])])),
                secrets: []
            ).get()
        }
        #expect(try decode(.string("B")).map(\.level.rawValue) == ["B"])
        for level in [PropertyValue.string("D"), .string(""), .string("a"), .integer(1), .null] {
            #expect(throws: MessageCodingFailure.badField("level")) { try decode(level) }
        }
    }

    @Test("too deep a value is refused, not followed")
    func depth() {
        var value = PropertyValue.null
        for _ in 0..<40 { value = .array([value]) }
        let body = DERWriter.encode(Self.item(query: [.string("deep"), value]))
        #expect(throws: MessageCodingFailure.notDER(.tooDeep(limit: 16))) {
            try MessageCoding.decodeRequest(body: body, secrets: [])
        }
    }

    @Test(
        "seeded changes and cuts of good messages are read or refused, and what is read can be written",
        arguments: 0..<8)
    func mutations(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let encoded =
            Samples.requests.map { MessageCoding.encode($0) } + Samples.deviceRequests.map { MessageCoding.encode($0) }
        var refused = 0
        for round in 0..<400 {
            let message = encoded[round % encoded.count]
            var bad = message.body
            for _ in 0...random.next() % 3 {
                guard !bad.isEmpty else { break }
                let place = Int(random.next() % UInt64(bad.count))
                switch random.next() % 3 {
                case 0: bad[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bad.removeSubrange(place...)
                default: bad.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
                }
            }
            do throws(MessageCodingFailure) {
                switch try MessageCoding.decodeRequest(body: bad, secrets: message.secrets) {
                case .item(let request):
                    let again = MessageCoding.encode(request)
                    #expect(throws: Never.self, "seed \(seed) round \(round)") {
                        try MessageCoding.decodeRequest(
                            body: again.body, secrets: MessageCoding.encode(request).secrets)
                    }
                case .device, .authentication, .agent, .key, .event, .fileKey, .itemChange, .itemParts, .nextPart:
                    break
                }
            } catch {
                refused += 1
            }
        }
        #expect(refused > 100, "seed \(seed)")
    }
}
