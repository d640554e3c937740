import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@Suite("Bytes from outside never become a message about authentication by mistake")
struct HostileAuthenticationTests {
    typealias Row = HostileMessageTests.Row

    private static func ask(_ fields: PropertyValue...) -> PropertyValue { .array([.integer(5)] + fields) }
    private static func agent(_ fields: PropertyValue...) -> PropertyValue { .array([.integer(7)] + fields) }

    private static func interaction(
        allowed: PropertyValue = .boolean(true), reason: PropertyValue = .string(""), cancel: PropertyValue = .null,
        fallback: PropertyValue = .null, reuse: PropertyValue = .integer(0), more: [PropertyValue] = []
    ) -> PropertyValue {
        .array([allowed, reason, cancel, fallback, reuse] + more)
    }

    private static func evaluate(_ interaction: PropertyValue) -> PropertyValue {
        ask(.integer(2), .integer(1), interaction)
    }

    private static let tooLong = PropertyValue.string(Samples.longestText + "x")
    private static let textTooLong = MessageCodingFailure.tooMany(
        field: "text for a person", found: MessageCoding.interactionTextByteCount + 1,
        limit: MessageCoding.interactionTextByteCount)

    static let requests = [
        Row("no request", ask(), .fieldMissing("request")),
        Row("unknown request", ask(.integer(7)), .badField("request")),
        Row("request is text", ask(.string("check")), .badField("request")),
        Row("no policy", ask(.integer(1)), .fieldMissing("policy")),
        Row("policy 0", ask(.integer(1), .integer(0)), .badField("policy")),
        Row("policy 6", ask(.integer(1), .integer(6)), .badField("policy")),
        Row("policy 257", ask(.integer(1), .integer(257)), .badField("policy")),
        Row("a negative policy", ask(.integer(1), .integer(-1)), .badField("policy")),
        Row("a check with an interaction", ask(.integer(1), .integer(1), .null), .fieldsLeft(1)),
        Row("an evaluation without interaction", evaluate(.null), .fieldMissing("interaction")),
        Row("interaction is text", evaluate(.string("")), .badField("interaction")),
        Row("an empty interaction", evaluate(.array([])), .fieldMissing("interaction allowed")),
        Row("permission is a number", evaluate(interaction(allowed: .integer(1))), .badField("interaction allowed")),
        Row("reason is null", evaluate(interaction(reason: .null)), .badField("reason")),
        Row("cancel title is a number", evaluate(interaction(cancel: .integer(1))), .badField("cancel title")),
        Row("fallback title is data", evaluate(interaction(fallback: .data([]))), .badField("fallback title")),
        Row("reuse is null", evaluate(interaction(reuse: .null)), .badField("reuse")),
        Row("reuse of a negative time", evaluate(interaction(reuse: .integer(-1))), .badField("reuse")),
        Row("reuse of too long a time", evaluate(interaction(reuse: .integer(300_001))), .badField("reuse")),
        Row("a field too many in the interaction", evaluate(interaction(more: [.null])), .fieldsLeft(1)),
        Row("a reason too long", evaluate(interaction(reason: tooLong)), textTooLong),
        Row("a cancel title too long", evaluate(interaction(cancel: tooLong)), textTooLong),
        Row("a fallback title too long", evaluate(interaction(fallback: tooLong)), textTooLong),
        Row(
            "an access control that is text", ask(.integer(3), .string("x"), .string("od"), interaction()),
            .badField("access control")),
        Row(
            "an access control of bytes that none has", ask(.integer(3), .data([1, 2]), .string("od"), interaction()),
            .badField("access control")),
        Row(
            "an unknown operation",
            ask(.integer(3), .data(AccessControl(protection: .always).serialised), .string("fly"), interaction()),
            .badField("operation")),
        Row(
            "an operation by number",
            ask(.integer(3), .data(AccessControl(protection: .always).serialised), .integer(1), interaction()),
            .badField("operation")),
        Row("a passcode in the body", ask(.integer(5), .array([.string("1234")])), .badField("secret")),
        Row("a passcode that did not come", ask(.integer(5), .array([.secret(0)])), .secretMissing(index: 0, count: 0)),
        Row(
            "two passwords", ask(.integer(4), .array([.secret(0), .secret(0)])), secrets: 1, .fieldsLeft(1)),
        Row("no password at all", ask(.integer(4)), .fieldMissing("secret")),
        Row("a field behind the question about biometry", ask(.integer(6), .null), .fieldsLeft(1)),
        Row("an agent's nothing", agent(), .fieldMissing("request")),
        Row("an agent's unknown request", agent(.integer(5)), .badField("request")),
        Row("registering with a name", agent(.integer(1), .string("me")), .fieldsLeft(1)),
        Row("an answer to nothing", agent(.integer(3)), .fieldMissing("prompt")),
        Row("an answer to a text", agent(.integer(3), .string("1"), .integer(2)), .badField("prompt")),
        Row("an unknown answer", agent(.integer(3), .integer(1), .integer(7)), .badField("answer")),
        Row("an answer that is missing", agent(.integer(3), .integer(1)), .fieldMissing("answer")),
        Row(
            "a typed secret in the body", agent(.integer(3), .integer(1), .integer(1), .string("x")),
            .badField("secret")),
        Row(
            "a typed secret that did not come", agent(.integer(3), .integer(1), .integer(1), .secret(1)), secrets: 1,
            .secretMissing(index: 1, count: 1)),
        Row("a failure without reason", agent(.integer(3), .integer(1), .integer(6)), .fieldMissing("reason")),
        Row("cancelled, with a reason", agent(.integer(3), .integer(1), .integer(2), .string("x")), .fieldsLeft(1)),
        Row("an end of nothing", agent(.integer(4)), .fieldMissing("prompt")),
        Row("a reply about authentication", .array([.integer(6), .integer(1), .null]), .unexpectedMessage(found: 6)),
        Row("a reply to an agent", .array([.integer(8), .integer(1)]), .unexpectedMessage(found: 8)),
        Row(
            "an item's interaction is text", HostileMessageTests.item(interaction: .string("")),
            .badField("interaction")),
        Row(
            "an item's reason too long", HostileMessageTests.item(interaction: interaction(reason: tooLong)),
            textTooLong),
        Row(
            "an item request of the time before interactions",
            .array([.integer(1), .integer(2), .array([]), .array([]), .boolean(true), .null]),
            .fieldMissing("interaction")),
    ]

    @Test("requests with a fault are refused by name", arguments: requests)
    func faults(row: Row) {
        let secrets = (0..<row.secretCount).map { _ in Samples.secret("s") }
        #expect(throws: row.failure) {
            try MessageCoding.decodeRequest(body: DERWriter.encode(row.value), secrets: secrets)
        }
    }

    private static func reply(_ fields: PropertyValue...) -> PropertyValue { .array([.integer(6)] + fields) }

    /// Faults of the answer to any question.
    static let answers = [
        Row("no reply", reply(), .fieldMissing("reply")),
        Row("unknown reply", reply(.integer(4)), .badField("reply")),
        Row("an unknown error", reply(.integer(3), .integer(-99), .array([])), .badField("error")),
        Row("an error without refusal", reply(.integer(3), .integer(-1), .null), .fieldMissing("refusal")),
        Row("a request", .array([.integer(5), .integer(6)]), .unexpectedMessage(found: 5)),
    ]

    @Test("answers with a fault are refused by name, whatever was asked", arguments: answers)
    func badAnswers(row: Row) {
        for question in AuthenticationQuestions.all {
            #expect(throws: row.failure, "\(question)") {
                try MessageCoding.readAnswer(to: question, body: DERWriter.encode(row.value))
            }
        }
    }

    static let doneAnswers = [
        Row("done, with a state that is not a list", reply(.integer(1), .data([1])), .badField("domain state")),
        Row("done, with a state that is text", reply(.integer(1), .array([.string("")])), .badField("domain state")),
        Row("done, with two states", reply(.integer(1), .array([.data([]), .data([])])), .fieldsLeft(1)),
        Row("done, without a state", reply(.integer(1)), .fieldMissing("domain state")),
        Row("biometry", reply(.integer(2), .data([]), .null), .badField("reply")),
    ]

    @Test("an answer that something is done", arguments: doneAnswers)
    func badDone(row: Row) {
        for question in AuthenticationQuestions.all where question != DescribeBiometry.self {
            #expect(throws: row.failure, "\(question)") {
                try MessageCoding.readAnswer(to: question, body: DERWriter.encode(row.value))
            }
        }
    }

    @Test("a domain state comes only with a policy")
    func unexpectedState() {
        let body = DERWriter.encode(Self.reply(.integer(1), .array([.data([1])])))
        for question in AuthenticationQuestions.all {
            let answersPolicy = question == CheckPolicy.self || question == EvaluatePolicy.self
            let isRead = (try? MessageCoding.readAnswer(to: question, body: body)) != nil
            #expect(isRead == answersPolicy, "\(question)")
        }
    }

    static let biometryAnswers = [
        Row(
            "biometry that is not a mailbox message", reply(.integer(2), .data([]), .null),
            .badEnclaveMessage(.truncated)),
        Row(
            "biometry that is another mailbox message",
            reply(.integer(2), .data(EnclaveMessageCodec.encode(Done()).body), .null),
            .badEnclaveMessage(.unknownKind(1))),
        Row(
            "biometry that is another mailbox message about fingers",
            reply(.integer(2), .data(EnclaveMessageCodec.encode(FingersDone()).body), .null),
            .badEnclaveMessage(.badValue(field: "biometry reply", found: 5))),
        Row(
            "biometry that is a refusal",
            reply(.integer(2), .data(EnclaveMessageCodec.encode(EnclaveRefusal.disabled).body), .null),
            .badField("biometry")),
        Row("done", reply(.integer(1), .null), .badField("reply")),
    ]

    @Test("an answer about biometry", arguments: biometryAnswers)
    func badBiometry(row: Row) {
        #expect(throws: row.failure) {
            try MessageCoding.readAnswer(to: DescribeBiometry.self, body: DERWriter.encode(row.value))
        }
    }

    private static func prompt(
        kind: PropertyValue = .integer(1), level: PropertyValue = .string("C"), more: [PropertyValue] = [],
        seconds: PropertyValue = .null
    ) -> PropertyValue {
        let prompt: [PropertyValue] = [
            kind, .string("p"), .null, level, .string(""), .null, .null, .null, .null,
        ]
        return .array([.integer(8), .integer(2), .integer(1), .array(prompt + more), seconds])
    }

    /// Faults of the answer to any question of an agent.
    static let agentAnswers = [
        Row("unknown reply", .array([.integer(8), .integer(6)]), .badField("reply")),
        Row("no refusal", .array([.integer(8), .integer(5), .null]), .fieldMissing("refusal")),
    ]

    @Test("answers to agents with a fault are refused by name, whatever was asked", arguments: agentAnswers)
    func badAgentAnswers(row: Row) {
        for question in AgentQuestions.all {
            #expect(throws: row.failure, "\(question)") {
                try MessageCoding.readAnswer(to: question, body: DERWriter.encode(row.value))
            }
        }
    }

    static let nextPrompts = [
        Row("no prompt", .array([.integer(8), .integer(2), .integer(1), .null, .null]), .fieldMissing("prompt")),
        Row("prompt of kind 0", prompt(kind: .integer(0)), .badField("kind")),
        Row("prompt of kind 5", prompt(kind: .integer(5)), .badField("kind")),
        Row("prompt of level D", prompt(level: .string("D")), .badField("level")),
        Row("prompt with a field too many", prompt(more: [.null]), .fieldsLeft(1)),
        Row("time that is text", prompt(seconds: .string("1")), .badField("seconds")),
        Row("time that is negative", prompt(seconds: .integer(-1)), .badField("seconds")),
        Row("done", .array([.integer(8), .integer(4)]), .badField("reply")),
    ]

    @Test("prompts with a fault are refused by name", arguments: nextPrompts)
    func badPrompts(row: Row) {
        #expect(throws: row.failure) {
            try MessageCoding.readAnswer(to: AwaitPrompt.self, body: DERWriter.encode(row.value))
        }
    }

    @Test("an end that is a number, and the answer to another question")
    func badEnds() {
        let end = DERWriter.encode(.array([.integer(8), .integer(3), .integer(1)]))
        #expect(throws: MessageCodingFailure.badField("is over")) {
            try MessageCoding.readAnswer(to: AwaitEndOfPrompt.self, body: end)
        }
        for question in [RegisterAgent.self, AnswerPrompt.self, AwaitPrompt.self] as [any AgentQuestion.Type] {
            #expect(throws: MessageCodingFailure.badField("reply"), "\(question)") {
                try MessageCoding.readAnswer(to: question, body: end)
            }
        }
    }

    @Test("seeded changes and cuts are read or refused, and what is read can be written", arguments: 0..<4)
    func mutations(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let encoded =
            Samples.authenticationQuestions.map { MessageCoding.encode($0) }
            + Samples.agentQuestions.map { MessageCoding.encode($0) }
            + Samples.keyQuestions.map { MessageCoding.encode($0) }
            + Samples.fileKeyQuestions.map { MessageCoding.encode($0) }
        var refused = 0
        for round in 0..<600 {
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
            let decoded: KeychainCall
            do throws(MessageCodingFailure) {
                decoded = try MessageCoding.decodeRequest(body: bad, secrets: message.secrets)
            } catch {
                refused += 1
                continue
            }
            let again: WireMessage
            switch decoded {
            case .authentication(let question): again = MessageCoding.encode(question)
            case .agent(let question): again = MessageCoding.encode(question)
            case .key(let question): again = MessageCoding.encode(question)
            case .event(let question): again = MessageCoding.encode(question)
            case .fileKey(let question): again = MessageCoding.encode(question)
            case .itemChange(let question): again = MessageCoding.encode(question)
            case .item, .device, .itemParts, .nextPart: continue
            }
            #expect(throws: Never.self, "seed \(seed) round \(round)") {
                try MessageCoding.decodeRequest(body: again.body, secrets: again.secrets)
            }
        }
        #expect(refused > 100, "seed \(seed)")
    }
}
