import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Testing

@Suite("Messages about keys of the enclave are read as they were written")
struct KeyMessageTests {
    @Test("questions", arguments: Samples.keyQuestions.indices)
    func questions(index: Int) throws {
        let question = Samples.keyQuestions[index]
        let message = question.message
        #expect(message.secrets.isEmpty)
        guard case .key(let copy) = try MessageCoding.decodeRequest(body: message.body, secrets: []) else {
            throw MessageCodingFailure.badField("")
        }
        #expect(copy.interaction == question.interaction && copy.number == question.number)
        switch (copy, question) {
        case (let one as CreateEnclaveKey, let other as CreateEnclaveKey):
            #expect(one.key == other.key && one.accessControl == other.accessControl)
        case (let one as SignMessageWithKey, let other as SignMessageWithKey):
            #expect(one.blob == other.blob && one.signedMessage == other.signedMessage)
            #expect(one.contextString == other.contextString)
        case (let one as DecapsulateWithKey, let other as DecapsulateWithKey):
            #expect(one.blob == other.blob && one.ciphertext == other.ciphertext)
        case (let one as SignWithKey, let other as SignWithKey):
            #expect(one.blob == other.blob && one.digest == other.digest)
        case (let one as AgreeWithKey, let other as AgreeWithKey):
            #expect(one.blob == other.blob && one.peer == other.peer)
        case (let one as DescribeEnclaveKey, let other as DescribeEnclaveKey): #expect(one.blob == other.blob)
        default: Issue.record("\(question) was read as something else")
        }
    }

    @Test("a new key of P-256 has the number of before there were other kinds, every other key a number of its own")
    func numbersOfCreation() {
        for question in Samples.keyQuestions {
            guard let question = question as? CreateEnclaveKey else { continue }
            #expect(question.number == (question.key == .p256 ? 1 : 5))
        }
    }

    /// Reads an answer as it was written.
    private func copy<Question: KeyQuestion>(
        of answer: Question.Answer, to question: Question.Type, secrets: Int = 0
    ) throws -> Question.Answer {
        let message = Question.message(of: answer)
        #expect(message.secrets.count == secrets)
        return try Question.answer(in: message).get()
    }

    @Test("answers") func answers() throws {
        for key in Samples.createdKeys { #expect(try copy(of: key, to: CreateEnclaveKey.self) == key) }
        for key in Samples.keyDescriptions { #expect(try copy(of: key, to: DescribeEnclaveKey.self) == key) }
        for signature in Samples.keySignatures {
            #expect(try copy(of: signature, to: SignWithKey.self) == signature)
            #expect(try copy(of: signature, to: SignMessageWithKey.self) == signature)
        }
        let secret = Samples.keySecret.secret
        let agreed = try copy(of: Samples.keySecret, to: AgreeWithKey.self, secrets: 1)
        #expect(agreed.secret.equals(secret))
        let decapsulated = try copy(of: Samples.keySecret, to: DecapsulateWithKey.self, secrets: 1)
        #expect(decapsulated.secret.equals(secret))
    }

    @Test("a shared secret travels beside the message, never in it") func secrets() {
        let body = AgreeWithKey.message(of: Samples.keySecret).body
        let text = Array("shared secret".utf8)
        #expect(!body.indices.contains { body[$0...].starts(with: text) })
    }

    @Test("a refusal stands for the answer to every question", arguments: Samples.keyRefusals)
    func refusals(refusal: EnclaveKeyRefusal) throws {
        func copy<Question: KeyQuestion>(_ question: Question.Type) throws -> EnclaveKeyRefusal? {
            let message = MessageCoding.encode(refusal)
            #expect(message.secrets.isEmpty)
            guard case .failure(let copy) = try Question.answer(in: message) else { return nil }
            return copy
        }
        for question in KeyQuestions.all { #expect(try copy(question) == refusal, "\(question)") }
    }
}
