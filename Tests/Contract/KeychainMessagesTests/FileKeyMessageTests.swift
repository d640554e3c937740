import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("Messages about the keys of files have the form of Docs/Formats/socket.md, and are read as they were written")
struct FileKeyMessageTests {
    @Test("questions", arguments: Samples.fileKeyQuestions.indices)
    func questions(index: Int) throws {
        let question = Samples.fileKeyQuestions[index]
        let message = question.message
        #expect(message.secrets.isEmpty)
        guard case .fileKey(let copy) = try MessageCoding.decodeRequest(body: message.body, secrets: []) else {
            throw MessageCodingFailure.badField("")
        }
        switch (copy, question) {
        case (let one as CreateFileKeys, let other as CreateFileKeys):
            #expect(one.protection == other.protection && one.identifiers == other.identifiers)
        case (let one as OpenFileKeys, let other as OpenFileKeys): #expect(one.keys == other.keys)
        case (let one as RewrapFileKey, let other as RewrapFileKey):
            #expect(one.key == other.key && one.protection == other.protection)
        default: Issue.record("\(question) was read as something else")
        }
    }

    private static let identifier = PropertyValue.data(Samples.file.bytes)
    private static let wrapped = PropertyValue.data([UInt8](repeating: 9, count: 40))
    private static let key: [PropertyValue] = [.integer(1), identifier, wrapped]
    private static let keyOfClassB: [PropertyValue] = [
        .integer(2), identifier, .data([UInt8](repeating: 9, count: 72)),
    ]
    private func check(_ message: WireMessage, _ fields: PropertyValue..., secrets: Int = 0) {
        #expect(message.body == DERWriter.encode(.array(fields)))
        #expect(message.secrets.count == secrets)
    }

    @Test("questions have exactly these fields") func questionForms() {
        check(
            CreateFileKeys(.completeUnlessOpen, for: [Samples.file, Samples.file]).message, .integer(13), .integer(1),
            .integer(2), .array([.array([Self.identifier]), .array([Self.identifier])]))
        check(
            OpenFileKeys([Samples.wrapped(.complete), Samples.wrapped(.completeUnlessOpen)]).message, .integer(13),
            .integer(2), .array([.array(Self.key), .array(Self.keyOfClassB)]))
        check(
            RewrapFileKey(Samples.wrapped(.complete), to: .none).message,
            .integer(13), .integer(3), .integer(1), Self.identifier, Self.wrapped, .integer(4))
    }

    @Test("answers have exactly these fields") func answerForms() {
        let created = CreatedFileKeys.Key(Samples.fileKey, wrapped: Samples.wrapped(.complete))
        check(
            CreateFileKeys.message(of: CreatedFileKeys([created, created])), .integer(14), .integer(1),
            .array([.array(Self.key + [.secret(0)]), .array(Self.key + [.secret(1)])]), secrets: 2)
        let refusal = FileKeyRefusal(.interactionNotAllowed, Refusal(ruleName: "r", reason: "s", advice: "t"))
        let fields: [PropertyValue] = [.integer(-25308), .array([.string("r"), .string("s"), .string("t")])]
        check(
            OpenFileKeys.message(
                of: OpenedFileKeys([
                    .success(Samples.fileKey), .failure(refusal), .failure(FileKeyRefusal(.decode)),
                    .success(Samples.fileKey),
                ])), .integer(14), .integer(2),
            .array([
                .array([.secret(0)]), .array(fields), .array([.integer(-26275), .null]), .array([.secret(1)]),
            ]), secrets: 2)
        check(
            RewrapFileKey.message(of: RewrappedFileKey(Samples.wrapped(.completeUnlessOpen))),
            .integer(14), .integer(3), Self.keyOfClassB[0], Self.keyOfClassB[1], Self.keyOfClassB[2])
        check(MessageCoding.encode(refusal), .integer(14), .integer(4), fields[0], fields[1])
        check(MessageCoding.encode(FileKeyRefusal(.decode)), .integer(14), .integer(4), .integer(-26275), .null)
    }

    @Test("answers") func answers() throws {
        for answer in Samples.createdFileKeys {
            let copy = try CreateFileKeys.answer(in: CreateFileKeys.message(of: answer)).get()
            #expect(copy.keys.map(\.wrapped) == answer.keys.map(\.wrapped))
            #expect(copy.keys.allSatisfy { $0.key.equals(Samples.fileKey) })
        }
        for answer in Samples.openedFileKeys {
            let copy = try OpenFileKeys.answer(in: OpenFileKeys.message(of: answer)).get()
            #expect(copy.refusal == answer.refusal)
            #expect(copy.results.count == answer.results.count)
            for (one, other) in zip(copy.results, answer.results) {
                switch (one, other) {
                case (.success(let one), .success(let other)): #expect(one.equals(other))
                case (.failure(let one), .failure(let other)): #expect(one == other)
                default: Issue.record("a key was read as a refusal, or the reverse")
                }
            }
        }
        for protection in FileProtection.allCases {
            let answer = RewrappedFileKey(Samples.wrapped(protection))
            #expect(try RewrapFileKey.answer(in: RewrapFileKey.message(of: answer)).get() == answer)
        }
    }

    @Test("a key travels beside the message, never in it") func secrets() {
        let text = Array("file's own key".utf8)
        for body in Samples.createdFileKeys.map({ CreateFileKeys.message(of: $0).body })
            + Samples.openedFileKeys.map({ OpenFileKeys.message(of: $0).body })
        {
            #expect(!body.indices.contains { body[$0...].starts(with: text) })
        }
    }

    @Test("a refusal stands for the answer to every question", arguments: Samples.fileKeyRefusals)
    func refusals(refusal: FileKeyRefusal) throws {
        func copy<Question: FileKeyQuestion>(_ question: Question.Type) throws -> FileKeyRefusal? {
            guard case .failure(let copy) = try Question.answer(in: MessageCoding.encode(refusal)) else { return nil }
            return copy
        }
        for question in FileKeyQuestions.all { #expect(try copy(question) == refusal, "\(question)") }
    }
}
