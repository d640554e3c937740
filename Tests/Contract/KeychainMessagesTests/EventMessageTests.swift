import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

/// Lock and unlock as messages.
@Suite struct EventMessageTests {
    @Test("a question decodes to itself", arguments: [nil, 0, 1, .max] as [Int64?])
    func questions(_ after: Int64?) throws {
        let message = MessageCoding.encode(AwaitEvent(after: after))
        guard case .event(let question) = try MessageCoding.decodeRequest(body: message.body, secrets: message.secrets)
        else {
            Issue.record("another message")
            return
        }
        #expect(question == AwaitEvent(after: after))
    }

    @Test("an answer and the end of the watch decode to themselves")
    func answers() throws {
        for state in ProtectedDataState.allCases {
            let event = ProtectedDataEvent(number: 7, state: state)
            #expect(try AwaitEvent.answer(in: AwaitEvent.message(of: event)) == .success(event))
        }
        #expect(try AwaitEvent.answer(in: MessageCoding.encode(WatchEnded())) == .failure(WatchEnded()))
    }

    @Test("messages are those of Docs/Formats/socket.md")
    func bytes() {
        let event = ProtectedDataEvent(number: 300, state: .becomingUnavailable)
        let messages: [(WireMessage, [UInt8])] = [
            (MessageCoding.encode(AwaitEvent(after: nil)), [0x30, 5, 2, 1, 11, 5, 0]),
            (MessageCoding.encode(AwaitEvent(after: 300)), [0x30, 7, 2, 1, 11, 2, 2, 1, 44]),
            (AwaitEvent.message(of: event), [0x30, 10, 2, 1, 12, 2, 2, 1, 44, 2, 1, 2]),
            (MessageCoding.encode(WatchEnded()), [0x30, 3, 2, 1, 12]),
        ]
        for (message, bytes) in messages {
            #expect(message.body == bytes)
            #expect(message.secrets.isEmpty)
        }
    }

    private static let bad: [[PropertyValue]] = [
        [.integer(11)], [.integer(11), .string("1")], [.integer(11), .null, .null], [.integer(11), .boolean(true)],
    ]

    @Test("a malformed question is refused", arguments: bad.indices)
    func malformed(_ index: Int) {
        #expect(throws: MessageCodingFailure.self) {
            try MessageCoding.decodeRequest(body: DERWriter.encode(.array(Self.bad[index])), secrets: [])
        }
    }

    @Test("a question with a secret is refused")
    func secretBeside() {
        #expect(throws: MessageCodingFailure.self) {
            try MessageCoding.decodeRequest(
                body: MessageCoding.encode(AwaitEvent(after: nil)).body, secrets: [SecretBox(copying: [1])])
        }
    }

    @Test("an unknown state, and a number alone, are refused")
    func malformedReplies() {
        for fields in [[PropertyValue.integer(12), .integer(1)], [.integer(12), .integer(1), .integer(5)]] {
            let message = WireMessage(body: DERWriter.encode(.array(fields)), secrets: [])
            #expect(throws: MessageCodingFailure.self) { try AwaitEvent.answer(in: message) }
        }
    }
}
