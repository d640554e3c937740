import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Testing

@Suite("Each number names one question, and each question has a number")
struct QuestionTableTests {
    @Test("questions about the device are the numbers of Docs/Formats/socket.md")
    func deviceNumbers() {
        #expect(DeviceQuestions.listed.map { $0.number }.sorted() == Array(1...10) + [20, 21])
    }

    @Test("every question of the table is among the samples, and every sample is in the table")
    func deviceQuestions() {
        let samples = Samples.listedQuestions.map { ObjectIdentifier(type(of: $0)) }
        #expect(Set(samples) == Set(DeviceQuestions.listed.map { ObjectIdentifier($0) }))
    }

    @Test("every question that is passed on is among the samples, and every sample is in the table")
    func forwardedQuestions() {
        func type<Question: ForwardedQuestion>(_ question: Question.Type) -> ObjectIdentifier {
            ObjectIdentifier(Forwarded<Question>.self)
        }
        let samples = Samples.forwardedQuestions.map { ObjectIdentifier(Swift.type(of: $0)) }
        #expect(Set(samples) == Set(ForwardedQuestions.all.map { type($0) }))
    }

    @Test("a question is read as one of its own type", arguments: Samples.deviceRequests.indices)
    func types(index: Int) throws {
        let question = Samples.deviceRequests[index]
        let message = MessageCoding.encode(question)
        guard case .device(let copy) = try MessageCoding.decodeRequest(body: message.body, secrets: message.secrets)
        else {
            Issue.record("read as another kind of message")
            return
        }
        #expect(type(of: copy) == type(of: question))
    }

    @Test("what changes the device is the owner's or on record, and is never repeated")
    func traits() {
        for question in DeviceQuestions.listed where question.traits.contains(.changesDevice) {
            #expect(!question.traits.contains(.repeatable), "\(question)")
            #expect(question.traits.contains(.audited) && !question.name.isEmpty, "\(question)")
        }
    }
}
