import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("The answer to a find in parts")
struct ItemPartTests {
    private static func part(
        _ number: Int, _ entries: [PropertyValue]?, secrets: [String] = [], before: Int = 0, isLast: Bool = false,
        code: ResultCode = .success, leftOut: Int = 0
    ) -> ItemReplyPart {
        let reply = ItemReply(
            code: code, result: entries.map { .array($0) }, secrets: secrets.map(Samples.secret),
            affectedRows: leftOut)
        return ItemReplyPart(reply, number: number, secretsBefore: before, isLast: isLast)
    }

    /// Sends the parts through their encoding.
    private func joined(_ parts: [ItemReplyPart]) throws -> (reply: ItemReply, states: [JoinedParts.State]) {
        var joined = JoinedParts()
        let states = try parts.map { try joined.take(MessageCoding.encode($0)) }
        return (joined.reply, states)
    }

    @Test("parts become one answer, whose entries name the secrets of all of them")
    func joining() throws {
        let (reply, states) = try joined([
            Self.part(0, [.secret(0), .secret(1)], secrets: ["a", "b"]),
            Self.part(1, [.dictionary(["v_Data": .secret(2)]), .secret(0)], secrets: ["c"], before: 2),
            Self.part(2, [], before: 3, isLast: true, leftOut: 4),
        ])
        #expect(states == [.unfinished, .unfinished, .finished])
        #expect(
            reply.result == .array([.secret(0), .secret(1), .dictionary(["v_Data": .secret(2)]), .secret(0)]))
        #expect(
            reply.secrets.map { secret in secret.withBytes { String(decoding: $0, as: UTF8.self) } } == ["a", "b", "c"])
        #expect(reply.affectedRows == 4 && reply.code == .success)
    }

    @Test("a search that was made again begins the answer anew")
    func again() throws {
        let reply = try joined([
            Self.part(0, [.secret(0)], secrets: ["a"]), Self.part(1, [.secret(1)], secrets: ["b"], before: 1),
            Self.part(0, [.secret(0)], secrets: ["c"]), Self.part(1, [.integer(1)], before: 1, isLast: true),
        ]).reply
        #expect(reply.result == .array([.secret(0), .integer(1)]) && reply.secrets.count == 1)
    }

    @Test("a refusal after some parts is the whole answer")
    func refusal() throws {
        let (reply, states) = try joined([
            Self.part(0, [.secret(0)], secrets: ["a"]),
            Self.part(0, nil, isLast: true, code: .interactionNotAllowed),
        ])
        #expect(states.last == .finished)
        #expect(reply.code == .interactionNotAllowed && reply.result == nil && reply.secrets.isEmpty)
    }

    @Test(
        "a part that does not follow the ones before it makes no answer",
        arguments: [
            part(2, [.integer(1)], before: 1), part(1, [.integer(1)], before: 0), part(1, [.integer(1)], before: 2),
            part(1, nil, before: 1),
        ])
    func gap(_ second: ItemReplyPart) throws {
        #expect(throws: MessageCodingFailure.badField("part")) {
            try joined([Self.part(0, [.secret(0)], secrets: ["a"]), second])
        }
        #expect(throws: MessageCodingFailure.badField("part")) { try joined([Self.part(1, [.integer(1)])]) }
        #expect(throws: MessageCodingFailure.badField("part")) { try joined([Self.part(0, [.secret(1)], before: 2)]) }
    }

    @Test("numbers that cannot be, and secrets that are in no part, make no part")
    func hostile() throws {
        func body(_ fields: [PropertyValue]) -> WireMessage {
            WireMessage(body: DERWriter.encode(.array([.integer(18)] + fields)))
        }
        let rest: [PropertyValue] = [.boolean(true), .integer(0), .array([.secret(3)]), .null, .integer(0)]
        let rows: [(fields: [PropertyValue], failure: MessageCodingFailure)] = [
            ([.integer(-1), .integer(0)] + rest, .badField("part")),
            ([.integer(.max), .integer(0)] + rest, .badField("part")),
            ([.integer(0), .integer(-1)] + rest, .badField("secrets before")),
            ([.integer(0), .integer(1 << 40)] + rest, .badField("secrets before")),
            ([.integer(1), .integer(3)] + rest, .secretMissing(index: 3, count: 3)),
            ([.integer(1), .integer(4)] + rest + [.null], .fieldsLeft(1)),
            ([.integer(1)], .fieldMissing("secrets before")),
        ]
        for (fields, failure) in rows {
            #expect(throws: failure) { try MessageCoding.decodeItemReplyPart(body(fields)) }
        }
        #expect(try MessageCoding.decodeItemReplyPart(body([.integer(1), .integer(4)] + rest))?.number == 1)
        #expect(throws: MessageCodingFailure.unexpectedMessage(found: 4)) {
            try MessageCoding.decodeItemReplyPart(MessageCoding.encode([], to: ListRefusals.self))
        }
    }

    @Test("only a find comes in parts, and the question for the next has nothing in it")
    func requests() throws {
        let message = MessageCoding.encodeForParts(Samples.find)
        guard case .itemParts(let copy) = try MessageCoding.decodeRequest(body: message.body, secrets: []) else {
            Issue.record("read as another request")
            return
        }
        #expect(copy.query == Samples.find.query)
        #expect(throws: MessageCodingFailure.badField("operation")) {
            let add = MessageCoding.encodeForParts(Samples.requests[1])
            _ = try MessageCoding.decodeRequest(body: add.body, secrets: add.secrets)
        }
        #expect(throws: MessageCodingFailure.fieldsLeft(1)) {
            try MessageCoding.decodeRequest(body: DERWriter.encode(.array([.integer(19), .null])), secrets: [])
        }
        #expect(throws: MessageCodingFailure.badField("next part")) {
            try MessageCoding.decodeRequest(body: MessageCoding.nextPart.body, secrets: [Samples.secret("a")])
        }
    }

    @Test(
        "finds of several items may need parts",
        arguments: [
            (nil, false), (.string("m_LimitOne"), false), (.integer(1), false), (.string("m_LimitAll"), true),
            (.integer(2), true),
        ] as [(PropertyValue?, Bool)])
    func limits(_ limit: PropertyValue?, _ mayFindMany: Bool) {
        let query = [QueryPair("class", .string("genp"))] + (limit.map { [QueryPair("m_Limit", $0)] } ?? [])
        #expect(ItemRequest(operation: .find, query: query, wantsResult: true).mayFindMany == mayFindMany)
        #expect(!ItemRequest(operation: .delete, query: query, wantsResult: true).mayFindMany)
    }

    /// 85,000 items with the attributes of a password have as many values as a request may have.
    @Test("an answer has as many values as its bytes allow")
    func manyValues() throws {
        let count = (1 << 20) + 5
        let reply = ItemReply(code: .success, result: .array(Array(repeating: .string("acct"), count: count)))
        let message = MessageCoding.encode(reply)
        let copy = try MessageCoding.decodeItemReply(body: message.body, secrets: [])
        guard case .array(let entries)? = copy.result else { throw CancellationError() }
        #expect(entries.count == count)
        // Null takes two bytes: more of them than any item has.
        let nulls = MessageCoding.encode(
            ItemReply(code: .success, result: .array(Array(repeating: .null, count: 1 << 21))))
        #expect(throws: MessageCodingFailure.notDER(.tooManyValues(limit: nulls.body.count / 4))) {
            try MessageCoding.decodeItemReply(body: nulls.body, secrets: [])
        }
    }
}
