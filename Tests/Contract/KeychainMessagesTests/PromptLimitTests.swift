import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("What travels to and from an agent has limits")
struct PromptLimitTests {
    private static let prompt = Prompt(kind: .passcode, program: "p", reason: "r")

    @Test(
        "a prompt is over after a day at the latest, and never before now",
        arguments: [(.infinity, 86_400), (1e300, 86_400), (86_401, 86_400), (-1, 0), (.nan, 0), (0.0001, 0.001)])
    func ends(seconds: Double, sent: Double) throws {
        let message = AwaitPrompt.message(of: .prompt(PromptIdentifier(1), Self.prompt, seconds: seconds))
        guard case .prompt(_, _, let left) = try AwaitPrompt.answer(in: message).get() else {
            Issue.record("read as another message")
            return
        }
        #expect(left == sent)
    }

    @Test("another end than that is refused", arguments: [-1, 86_400_001, Int64.max, .min])
    func badEnds(milliseconds: Int64) {
        let prompt: PropertyValue = .array([
            .integer(1), .string("p"), .null, .string("C"), .string(""), .null, .null, .null, .null,
        ])
        let body = DERWriter.encode(
            .array([.integer(8), .integer(2), .integer(1), prompt, .integer(milliseconds)]))
        #expect(throws: MessageCodingFailure.badField("seconds")) {
            try MessageCoding.readAnswer(to: AwaitPrompt.self, body: body)
        }
    }

    @Test("an agent's reason has as many bytes as a text of a program, and no more")
    func reasons() throws {
        let limit = MessageCoding.interactionTextByteCount
        func decode(_ count: Int) throws -> KeychainCall {
            let reason = String(repeating: "x", count: count)
            let message = MessageCoding.encode(AnswerPrompt(PromptIdentifier(1), .failed(reason: reason)))
            return try MessageCoding.decodeRequest(body: message.body, secrets: [])
        }
        #expect(throws: Never.self) { try decode(limit) }
        #expect(throws: MessageCodingFailure.tooMany(field: "reason", found: limit + 1, limit: limit)) {
            try decode(limit + 1)
        }
    }
}
