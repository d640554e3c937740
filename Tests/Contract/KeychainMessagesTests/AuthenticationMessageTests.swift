import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("Messages about authentication are read as they were written")
struct AuthenticationMessageTests {
    private func texts(_ secrets: [SecretBox]) -> [[UInt8]] {
        secrets.map { secret in secret.withBytes { Array($0) } }
    }

    @Test("an item request with its interaction", arguments: Samples.interactions)
    func itemRequest(interaction: Interaction) throws {
        let owner = OwnerAuthority(accessGroup: "*", passcode: Samples.secret("1234"))
        for authority in [nil, owner] {
            let request = ItemRequest(
                operation: .add, query: [QueryPair("v_Data", .secret(0))], wantsResult: true,
                secrets: [Samples.secret("s")], interaction: interaction, owner: authority)
            let message = MessageCoding.encode(request)
            guard case .item(let copy) = try MessageCoding.decodeRequest(body: message.body, secrets: message.secrets)
            else {
                throw MessageCodingFailure.badField("")
            }
            #expect(copy.interaction == interaction)
            #expect(copy.secrets.count == 1)
        }
    }

    @Test("questions", arguments: Samples.authenticationQuestions.indices)
    func questions(index: Int) throws {
        let question = Samples.authenticationQuestions[index]
        let message = MessageCoding.encode(question)
        guard
            case .authentication(let copy) = try MessageCoding.decodeRequest(
                body: message.body, secrets: message.secrets)
        else {
            throw MessageCodingFailure.badField("")
        }
        #expect(type(of: copy) == type(of: question))
        let again = MessageCoding.encode(copy)
        #expect(again.body == message.body && texts(again.secrets) == texts(message.secrets))
        switch (copy, question) {
        case (let copy as CheckPolicy, let question as CheckPolicy): #expect(copy.policy == question.policy)
        case (let copy as any EvaluationQuestion, let question as any EvaluationQuestion):
            #expect(copy.demand == question.demand && copy.interaction == question.interaction)
        default: break
        }
    }

    @Test("answers and what is thrown in their place", arguments: Samples.authenticationAnswers)
    func answers(sample: AnswerSample) throws {
        #expect(sample.encoded.secrets.isEmpty)
        #expect(try sample.isReadAsWritten())
    }

    @Test("agents' questions", arguments: Samples.agentQuestions.indices)
    func agentQuestions(index: Int) throws {
        let question = Samples.agentQuestions[index]
        let message = MessageCoding.encode(question)
        guard case .agent(let copy) = try MessageCoding.decodeRequest(body: message.body, secrets: message.secrets)
        else {
            throw MessageCodingFailure.badField("")
        }
        #expect(type(of: copy) == type(of: question))
        let again = MessageCoding.encode(copy)
        #expect(again.body == message.body && texts(again.secrets) == texts(message.secrets))
        switch (copy, question) {
        case (let copy as AwaitEndOfPrompt, let question as AwaitEndOfPrompt): #expect(copy.prompt == question.prompt)
        case (let copy as AnswerPrompt, let question as AnswerPrompt):
            #expect(copy.prompt == question.prompt)
            expectSame(copy.promptAnswer, question.promptAnswer)
        default: break
        }
    }

    private func expectSame(_ answer: PromptAnswer, _ other: PromptAnswer) {
        switch (answer, other) {
        case (.secret(let box), .secret(let otherBox)): #expect(texts([box]) == texts([otherBox]))
        case (.failed(let reason), .failed(let otherReason)): #expect(reason == otherReason)
        case (.cancelled, .cancelled), (.fallback, .fallback), (.withdrawn, .withdrawn), (.timedOut, .timedOut): break
        default: Issue.record("another answer")
        }
    }

    @Test("answers to agents and what is thrown in their place", arguments: Samples.agentAnswers)
    func agentAnswers(sample: AnswerSample) throws {
        #expect(sample.encoded.secrets.isEmpty)
        #expect(try sample.isReadAsWritten())
    }

    @Test("a caller that may give passcodes says so, and all others do not")
    func callers() throws {
        for may in [true, false] {
            let caller = Caller(name: "n", accessGroups: ["g"], mayGivePasscode: may)
            #expect(try MessageCoding.decodeCaller(MessageCoding.encode(caller)).mayGivePasscode == may)
        }
        let without = DERWriter.encode(.dictionary(["name": .string("n"), "groups": .array([])]))
        #expect(try !MessageCoding.decodeCaller(without).mayGivePasscode)
        let wrong = DERWriter.encode(
            .dictionary(["name": .string("n"), "groups": .array([]), "passcode": .integer(1)]))
        #expect(throws: MessageCodingFailure.badField("passcode")) { try MessageCoding.decodeCaller(wrong) }
    }

    @Test(
        "what a program asks beyond the reuse window is cut to it",
        arguments: [-1, 0.0004, 301, 1e300, .infinity, .nan])
    func reuse(seconds: Double) throws {
        let message = MessageCoding.encode(
            EvaluatePolicy(.biometry, Interaction(reuseSeconds: seconds)))
        guard
            case .authentication(let copy as EvaluatePolicy) = try MessageCoding.decodeRequest(
                body: message.body, secrets: [])
        else { throw MessageCodingFailure.badField("") }
        #expect(copy.interaction.reuseSeconds == (seconds > 300 ? 300 : 0))
    }

    @Test("secrets are never part of the body")
    func secretsStayOutside() {
        let box = Samples.secret("correct horse battery")
        let bodies = [
            MessageCoding.encode(SetContextPasscode(box)).body,
            MessageCoding.encode(SetContextPassword(box)).body,
            MessageCoding.encode(AnswerPrompt(PromptIdentifier(1), .secret(box))).body,
        ]
        for body in bodies { #expect(!String(decoding: body, as: UTF8.self).contains("horse")) }
    }
}
