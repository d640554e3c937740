import LatchkeyEnclaveContract
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("Bytes from outside never become a message about the keys of files by mistake")
struct HostileFileKeyTests {
    typealias Row = HostileMessageTests.Row

    private static func ask(_ fields: PropertyValue...) -> PropertyValue { .array([.integer(13)] + fields) }
    private static func reply(_ fields: PropertyValue...) -> PropertyValue { .array([.integer(14)] + fields) }

    private static let identifier = PropertyValue.data(Samples.file.bytes)
    private static func bytes(_ count: Int) -> PropertyValue { .data([UInt8](repeating: 9, count: count)) }
    private static let key: [PropertyValue] = [.integer(1), identifier, bytes(40)]

    static let requests = [
        Row("no request", ask(), .fieldMissing("file key request")),
        Row("request zero", ask(.integer(0)), .badField("file key request")),
        Row("unknown request", ask(.integer(4)), .badField("file key request")),
        Row("request is text", ask(.string("open")), .badField("file key request")),
        Row("a creation without class", ask(.integer(1)), .fieldMissing("class")),
        Row("the recovery class", ask(.integer(1), .integer(5), .array([])), .badField("class")),
        Row("the class of an item", ask(.integer(1), .integer(6), .array([])), .badField("class")),
        Row("class zero", ask(.integer(1), .integer(0), .array([])), .badField("class")),
        Row("a class that is not a byte", ask(.integer(1), .integer(257), .array([])), .badField("class")),
        Row("a class below zero", ask(.integer(1), .integer(-1), .array([])), .badField("class")),
        Row(
            "a class by name", ask(.integer(1), .string("NSFileProtectionNone"), .array([])), .badField("class")),
        Row("a creation for no file", ask(.integer(1), .integer(1), .array([])), .badField("files")),
        Row(
            "a creation for too many files",
            ask(.integer(1), .integer(1), .array([PropertyValue](repeating: .array([identifier]), count: 257))),
            .tooMany(field: "files", found: 257, limit: 256)),
        Row(
            "a file that is not a list", ask(.integer(1), .integer(1), .array([identifier])), .badField("files")),
        Row(
            "a file without identifier", ask(.integer(1), .integer(1), .array([.array([])])),
            .fieldMissing("identifier")),
        Row(
            "an identifier too short", ask(.integer(1), .integer(1), .array([.array([bytes(15)])])),
            .badField("identifier")),
        Row(
            "an identifier too long", ask(.integer(1), .integer(1), .array([.array([bytes(17)])])),
            .badField("identifier")),
        Row(
            "a file with more than an identifier",
            ask(.integer(1), .integer(1), .array([.array([identifier, .null])])), .fieldsLeft(1)),
        Row("a field too many", ask(.integer(1), .integer(1), .array([.array([identifier])]), .null), .fieldsLeft(1)),
        Row("an opening of nothing", ask(.integer(2), .array([])), .badField("files")),
        Row(
            "an opening of too many files",
            ask(.integer(2), .array([PropertyValue](repeating: .array(key), count: 257))),
            .tooMany(field: "files", found: 257, limit: 256)),
        Row("a wrapped key too short", ask(.integer(2), .array([wrapped(1, 39)])), .badField("wrapped key")),
        Row("a wrapped key of class B too short", ask(.integer(2), .array([wrapped(2, 40)])), .badField("wrapped key")),
        Row("a wrapped key of another length", ask(.integer(2), .array([wrapped(3, 72)])), .badField("wrapped key")),
        Row("a megabyte", ask(.integer(2), .array([wrapped(4, 1 << 20)])), .badField("wrapped key")),
        Row(
            "a secret in place of a wrapped key",
            ask(.integer(2), .array([.array([.integer(1), identifier, .secret(0)])])), .badField("wrapped key")),
        Row(
            "a wrapped key of an item's class", ask(.integer(2), .array([wrapped(9, 40)])), .badField("class")),
        Row("nothing to rewrap", ask(.integer(3)), .fieldMissing("class")),
        Row(
            "a rewrapping to no class", ask(.integer(3), .integer(1), identifier, bytes(40)), .fieldMissing("class")),
        Row(
            "a rewrapping to the class of an item",
            ask(.integer(3), .integer(1), identifier, bytes(40), .integer(12)), .badField("class")),
        Row("a reply", reply(.integer(3), .integer(1), identifier, bytes(40)), .unexpectedMessage(found: 14)),
    ]

    private static func wrapped(_ keyClass: Int64, _ count: Int) -> PropertyValue {
        .array([.integer(keyClass), identifier, bytes(count)])
    }

    @Test("requests with a fault are refused by name", arguments: requests)
    func faults(row: Row) {
        #expect(throws: row.failure) {
            try MessageCoding.decodeRequest(body: DERWriter.encode(row.value), secrets: [])
        }
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        let question: any FileKeyQuestion.Type
        let row: Row

        var testDescription: String { "\(row.testDescription), as the answer to \(question)" }
    }

    private static func answers(to questions: [any FileKeyQuestion.Type], _ rows: [Row]) -> [Answer] {
        questions.flatMap { question in rows.map { Answer(question: question, row: $0) } }
    }

    static let answers =
        answers(
            to: FileKeyQuestions.all,
            [
                Row("no reply", reply(), .fieldMissing("reply")),
                Row("unknown reply", reply(.integer(5)), .badField("reply")),
                Row("a code out of range", reply(.integer(4), .integer(1 << 40), .null), .badField("code")),
                Row(
                    "a refusal without advice", reply(.integer(4), .integer(-50), .array([.string(""), .string("")])),
                    .fieldMissing("advice")),
                Row("a field too many", reply(.integer(4), .integer(-50), .null, .null), .fieldsLeft(1)),
                Row("a request", ask(.integer(2), .array([.array(key)])), .unexpectedMessage(found: 13)),
            ])
        + answers(
            to: [CreateFileKeys.self],
            [
                Row("no key", reply(.integer(1), .array([])), .badField("files")),
                Row("a wrapped key alone", reply(.integer(1), .array([.array(key)])), .fieldMissing("key")),
                Row(
                    "a key in the body", reply(.integer(1), .array([.array(key + [bytes(32)])])), .badField("key")),
                Row(
                    "a key that did not come", reply(.integer(1), .array([.array(key + [.secret(2)])])),
                    .secretMissing(index: 2, count: 2)),
                Row(
                    "a key of another length", reply(.integer(1), .array([.array(key + [.secret(1)])])),
                    .badField("key")),
            ])
        + answers(
            to: [OpenFileKeys.self],
            [
                Row("no result", reply(.integer(2), .array([])), .badField("files")),
                Row("an empty result", reply(.integer(2), .array([.array([])])), .fieldMissing("code")),
                Row("a key and more", reply(.integer(2), .array([.array([.secret(0), .null])])), .fieldsLeft(1)),
                Row(
                    "a key of another length", reply(.integer(2), .array([.array([.secret(1)])])), .badField("key")),
                Row(
                    "a key that did not come", reply(.integer(2), .array([.array([.secret(2)])])),
                    .secretMissing(index: 2, count: 2)),
                Row(
                    "too many results",
                    reply(.integer(2), .array([PropertyValue](repeating: .array([.secret(0)]), count: 257))),
                    .tooMany(field: "files", found: 257, limit: 256)),
            ])
        + answers(
            to: [RewrapFileKey.self],
            [
                Row(
                    "a wrapped key of another class's length",
                    reply(.integer(3), .integer(2), identifier, bytes(40)), .badField("wrapped key"))
            ])

    @Test("answers with a fault are refused by name", arguments: answers)
    func badAnswers(answer: Answer) {
        #expect(throws: answer.row.failure) { try Self.read(answer.row.value, as: answer.question) }
    }

    /// Reads an answer that came with a key of a file, and a secret that is shorter.
    private static func read<Question: FileKeyQuestion>(
        _ value: PropertyValue, as question: Question.Type
    ) throws(MessageCodingFailure) {
        let secrets = [Samples.fileKey, Samples.secret("short")]
        _ = try Question.answer(in: WireMessage(body: DERWriter.encode(value), secrets: secrets))
    }

    @Test("the answer to one question does not answer another") func otherAnswers() {
        func number<Question: FileKeyQuestion>(_ question: Question.Type) -> Int64 { Question.Answer.replyNumber }
        for question in FileKeyQuestions.all {
            for other in 1...3 as ClosedRange<Int64> where other != number(question) {
                #expect(throws: MessageCodingFailure.badField("reply"), "\(question) and \(other)") {
                    try Self.read(Self.reply(.integer(other), .array([])), as: question)
                }
            }
        }
    }
}
