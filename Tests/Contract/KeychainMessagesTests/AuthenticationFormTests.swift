import LatchkeyAccessControl
import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("Messages about authentication and prompts have the form of Docs/Formats/socket.md")
struct AuthenticationFormTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let message: WireMessage
        let fields: [PropertyValue]
        let secretCount: Int

        init(_ question: some KeychainQuestion, _ fields: PropertyValue..., secrets: Int = 0) {
            testDescription = "\(type(of: question)) \(fields)"
            message = question.message
            self.fields = fields
            secretCount = secrets
        }

        init<Question: KeychainQuestion>(
            _ question: Question.Type, _ answer: Question.Answer, _ fields: PropertyValue...
        ) {
            testDescription = "\(answer)"
            message = question.message(of: answer)
            self.fields = fields
            secretCount = 0
        }

        init(_ failure: some KeychainFailure, _ fields: PropertyValue...) {
            testDescription = "\(failure)"
            message = MessageCoding.encode(failure)
            self.fields = fields
            secretCount = 0
        }
    }

    private static let interaction = Interaction(
        isAllowed: false, reason: "r", cancelTitle: "c", fallbackTitle: nil, reuseSeconds: 1.5)
    private static let interactionFields = PropertyValue.array([
        .boolean(false), .string("r"), .string("c"), .null, .integer(1500),
    ])
    private static let box = Samples.secret("s")
    private static let secret = PropertyValue.array([.secret(0)])
    private static let state = PropertyValue.array([.data([1, 2])])
    private static let biometry = BiometryStatus(
        survey: .noSensor, obstacle: .biometryNotAvailable, enrolmentSet: nil, missesLeft: 0)
    private static let refusal = Refusal(ruleName: "rule", reason: "reason", advice: "advice")
    private static let refusalFields = PropertyValue.array([.string("rule"), .string("reason"), .string("advice")])

    static let rows = [
        Row(CheckPolicy(.biometry), .integer(5), .integer(1), .integer(1)),
        Row(EvaluatePolicy(.deviceOwner, interaction), .integer(5), .integer(2), .integer(2), interactionFields),
        Row(
            EvaluateAccessControl(Samples.plain, for: .decrypt, interaction), .integer(5), .integer(3),
            .data(Samples.plain.serialised), .string("od"), interactionFields),
        Row(SetContextPassword(nil), .integer(5), .integer(4), .null),
        Row(SetContextPassword(box), .integer(5), .integer(4), secret, secrets: 1),
        Row(SetContextPasscode(nil), .integer(5), .integer(5), .null),
        Row(SetContextPasscode(box), .integer(5), .integer(5), secret, secrets: 1),
        Row(DescribeBiometry(), .integer(5), .integer(6)),
        Row(CheckPolicy.self, PolicyFulfilment(domainState: nil), .integer(6), .integer(1), .null),
        Row(EvaluatePolicy.self, PolicyFulfilment(domainState: [1, 2]), .integer(6), .integer(1), state),
        Row(EvaluateAccessControl.self, AuthenticationDone(), .integer(6), .integer(1), .null),
        Row(SetContextPassword.self, AuthenticationDone(), .integer(6), .integer(1), .null),
        Row(SetContextPasscode.self, AuthenticationDone(), .integer(6), .integer(1), .null),
        Row(
            DescribeBiometry.self, DeviceBiometry(biometry, domainState: [1, 2]), .integer(6), .integer(2),
            .data(EnclaveMessageCodec.encode(biometry).body), state),
        Row(AuthenticationRefusal(.userCancel, refusal), .integer(6), .integer(3), .integer(-2), refusalFields),
    ]

    private static let prompt = Prompt(
        kind: .applicationPassword(isNew: true), program: "p", team: "t", level: .b, reason: "r", cancelTitle: "c",
        fallbackTitle: "f", notice: "n", item: "i")
    private static let promptFields = PropertyValue.array(
        [.integer(4)] + ["p", "t", "B", "r", "c", "f", "n", "i"].map { .string($0) })
    private static let prompt7 = PromptIdentifier(7)

    static let agentRows = [
        Row(RegisterAgent(), .integer(7), .integer(1)),
        Row(AwaitPrompt(), .integer(7), .integer(2)),
        Row(
            AnswerPrompt(prompt7, .secret(box)), .integer(7), .integer(3), .integer(7), .integer(1), .secret(0),
            secrets: 1),
        Row(AnswerPrompt(prompt7, .cancelled), .integer(7), .integer(3), .integer(7), .integer(2)),
        Row(AnswerPrompt(prompt7, .fallback), .integer(7), .integer(3), .integer(7), .integer(3)),
        Row(AnswerPrompt(prompt7, .withdrawn), .integer(7), .integer(3), .integer(7), .integer(4)),
        Row(AnswerPrompt(prompt7, .timedOut), .integer(7), .integer(3), .integer(7), .integer(5)),
        Row(
            AnswerPrompt(PromptIdentifier(.max), .failed(reason: "r")), .integer(7), .integer(3), .integer(-1),
            .integer(6), .string("r")),
        Row(AwaitEndOfPrompt(prompt7), .integer(7), .integer(4), .integer(7)),
        Row(AwaitPrompt.self, .nothing, .integer(8), .integer(1)),
        Row(
            AwaitPrompt.self, .prompt(prompt7, prompt, seconds: 1.5), .integer(8), .integer(2), .integer(7),
            promptFields, .integer(1500)),
        Row(
            AwaitPrompt.self, .prompt(prompt7, prompt, seconds: nil), .integer(8), .integer(2), .integer(7),
            promptFields, .null),
        Row(AwaitEndOfPrompt.self, PromptEnd(isOver: true), .integer(8), .integer(3), .boolean(true)),
        Row(RegisterAgent.self, AgentDone(), .integer(8), .integer(4)),
        Row(AnswerPrompt.self, AgentDone(), .integer(8), .integer(4)),
        Row(AgentRefusal(refusal), .integer(8), .integer(5), refusalFields),
    ]

    @Test("a message is this list", arguments: rows + agentRows)
    func forms(row: Row) {
        #expect(row.message.body == DERWriter.encode(.array(row.fields)))
        #expect(row.message.secrets.count == row.secretCount)
    }
}
