import LatchkeyAccessControl
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("Bytes from outside never become a message about keys by mistake")
struct HostileKeyTests {
    typealias Row = HostileMessageTests.Row

    private static func ask(_ fields: PropertyValue...) -> PropertyValue { .array([.integer(9)] + fields) }
    private static func reply(_ fields: PropertyValue...) -> PropertyValue { .array([.integer(10)] + fields) }

    private static let point = PropertyValue.data(Samples.point)
    private static let tooLongBlob = PropertyValue.data(Samples.longestBlob + [0])
    private static let blobTooLong = MessageCodingFailure.tooMany(field: "blob", found: 4097, limit: 4096)

    static let requests = [
        Row("no request", ask(), .fieldMissing("key request")),
        Row("unknown request", ask(.integer(8)), .badField("key request")),
        Row("request is text", ask(.string("sign")), .badField("key request")),
        Row("a key under bytes that no access control has", ask(.integer(1), .data([1])), .badField("access control")),
        Row("a key without access control", ask(.integer(1)), .fieldMissing("access control")),
        Row(
            "an access control too long",
            ask(.integer(1), .data([UInt8](repeating: 0, count: 4097)), .null),
            .tooMany(field: "access control", found: 4097, limit: 4096)),
        Row(
            "a new key with a field too many",
            ask(.integer(1), .data(AccessControl(protection: .always).serialised), .null, .null),
            .fieldsLeft(1)),
        Row("interaction is text", ask(.integer(2), .data([]), .data([1]), .string("")), .badField("interaction")),
        Row(
            "interaction is empty", ask(.integer(2), .data([]), .data([1]), .array([])),
            .fieldMissing("interaction allowed")),
        Row("a blob too long", ask(.integer(2), tooLongBlob, .data([1]), .null), blobTooLong),
        Row("a blob that is text", ask(.integer(4), .string("x")), .badField("blob")),
        Row("a question about a blob too long", ask(.integer(4), tooLongBlob), blobTooLong),
        Row("no digest", ask(.integer(2), .data([]), .data([]), .null), .badField("digest")),
        Row(
            "a message in place of a digest",
            ask(.integer(2), .data([]), .data([UInt8](repeating: 0, count: 65)), .null),
            .tooMany(field: "digest", found: 65, limit: 64)),
        Row("no interaction", ask(.integer(2), .data([]), .data([1])), .fieldMissing("interaction")),
        Row("a peer too short", ask(.integer(3), .data([]), .data([4]), .null), .badField("peer")),
        Row(
            "a peer too long", ask(.integer(3), .data([]), .data(Samples.point + [0]), .null),
            .tooMany(field: "peer", found: 66, limit: 65)),
        Row("a key of no kind", ask(.integer(5), .integer(0), .data([]), .null), .badField("new key")),
        Row("a kind beyond the last", ask(.integer(5), .integer(7), .data([]), .null), .badField("new key")),
        Row("a kind that is not a byte", ask(.integer(5), .integer(-1), .data([]), .null), .badField("new key")),
        Row("a kind larger than a byte", ask(.integer(5), .integer(258), .data([]), .null), .badField("new key")),
        Row("P-256 in another form", ask(.integer(5), .integer(1), .data([]), .null), .badField("new key")),
        Row("a kind and nothing else", ask(.integer(5), .integer(2)), .fieldMissing("access control")),
        Row(
            "a message too long",
            ask(.integer(6), .data([]), .data([UInt8](repeating: 0, count: 1_048_577)), .data([]), .null),
            .tooMany(field: "message", found: 1_048_577, limit: 1_048_576)),
        Row(
            "a context string too long",
            ask(.integer(6), .data([]), .data([]), .data([UInt8](repeating: 0, count: 256)), .null),
            .tooMany(field: "context string", found: 256, limit: 255)),
        Row("no context string", ask(.integer(6), .data([]), .data([]), .null), .badField("context string")),
        Row("a blob too long for a message", ask(.integer(6), tooLongBlob, .data([]), .data([]), .null), blobTooLong),
        Row(
            "a ciphertext too long", ask(.integer(7), .data([]), .data([UInt8](repeating: 0, count: 1569)), .null),
            .tooMany(field: "ciphertext", found: 1569, limit: 1568)),
        Row("a ciphertext that is text", ask(.integer(7), .data([]), .string(""), .null), .badField("ciphertext")),
        Row("a reply", reply(.integer(1), .data([]), point), .unexpectedMessage(found: 10)),
    ]

    @Test("requests with a fault are refused by name", arguments: requests)
    func faults(row: Row) {
        #expect(throws: row.failure) {
            try MessageCoding.decodeRequest(body: DERWriter.encode(row.value), secrets: [])
        }
    }

    private static let everyAnswer = [
        Row("no reply", reply(), .fieldMissing("reply")),
        Row("unknown reply", reply(.integer(6)), .badField("reply")),
        Row("a code out of range", reply(.integer(5), .integer(1 << 40), .null), .badField("code")),
        Row(
            "a refusal without advice", reply(.integer(5), .integer(-50), .array([.string(""), .string("")])),
            .fieldMissing("advice")),
        Row("a field too many", reply(.integer(5), .integer(-50), .null, .null), .fieldsLeft(1)),
        Row("a request", ask(.integer(4), .data([])), .unexpectedMessage(found: 9)),
    ]

    private static let signatures = [
        Row("an empty signature", reply(.integer(2), .data([])), .badField("signature")),
        Row(
            "a signature too long", reply(.integer(2), .data([UInt8](repeating: 0, count: 4628))),
            .tooMany(field: "signature", found: 4628, limit: 4627)),
    ]

    private static let secrets = [
        Row("a secret in the body", reply(.integer(3), .data([1])), .badField("secret")),
        Row("a secret that did not come", reply(.integer(3), .secret(0)), .secretMissing(index: 0, count: 0)),
    ]

    struct Answer: Sendable, CustomTestStringConvertible {
        let question: any KeyQuestion.Type
        let row: Row

        var testDescription: String { "\(row.testDescription), as the answer to \(question)" }
    }

    private static func answers(to questions: [any KeyQuestion.Type], _ rows: [Row]) -> [Answer] {
        questions.flatMap { question in rows.map { Answer(question: question, row: $0) } }
    }

    static let answers =
        answers(to: KeyQuestions.all, everyAnswer)
        + answers(
            to: [CreateEnclaveKey.self],
            [
                Row("a blob too long", reply(.integer(1), tooLongBlob, point), blobTooLong),
                Row("half a point", reply(.integer(1), .data([]), .data([4, 1])), .badField("public key")),
            ])
        + answers(
            to: [DescribeEnclaveKey.self],
            [
                Row(
                    "a public key of no kind", reply(.integer(4), .data([UInt8](repeating: 0, count: 1185)), .data([])),
                    .badField("public key"))
            ])
        + answers(to: [SignWithKey.self, SignMessageWithKey.self], signatures)
        + answers(to: [AgreeWithKey.self, DecapsulateWithKey.self], secrets)

    private static func read<Question: KeyQuestion>(
        _ value: PropertyValue, as question: Question.Type
    ) throws(MessageCodingFailure) {
        _ = try Question.answer(in: WireMessage(body: DERWriter.encode(value)))
    }

    @Test("answers with a fault are refused by name", arguments: answers)
    func badAnswers(answer: Answer) {
        #expect(throws: answer.row.failure) { try Self.read(answer.row.value, as: answer.question) }
    }

    @Test("the answer to one question does not answer another") func otherAnswers() {
        func number<Question: KeyQuestion>(_ question: Question.Type) -> Int64 { Question.Answer.replyNumber }
        for question in KeyQuestions.all {
            for other in 1...4 as ClosedRange<Int64> where other != number(question) {
                #expect(throws: MessageCodingFailure.badField("reply"), "\(question) and \(other)") {
                    try Self.read(Self.reply(.integer(other), .data([1]), .data([1])), as: question)
                }
            }
        }
    }
}
