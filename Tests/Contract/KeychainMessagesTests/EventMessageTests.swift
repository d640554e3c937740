import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

/// Lock and unlock as messages.
@Suite struct EventMessageTests {
    @Test("a request decodes to itself", arguments: [nil, 0, 1, .max] as [Int64?])
    func requests(_ after: Int64?) throws {
        let message = MessageCoding.encode(EventRequest(after: after))
        guard case .event(let request) = try MessageCoding.decodeRequest(body: message.body, secrets: message.secrets)
        else {
            Issue.record("another message")
            return
        }
        #expect(request == EventRequest(after: after))
    }

    @Test("a reply decodes to itself")
    func replies() throws {
        let events = ProtectedDataState.allCases.map { EventReply.event(ProtectedDataEvent(number: 7, state: $0)) }
        for reply in events + [.ended] {
            let message = MessageCoding.encode(reply)
            #expect(try MessageCoding.decodeEventReply(body: message.body, secrets: message.secrets) == reply)
        }
    }

    private static let bad: [[PropertyValue]] = [
        [.integer(11)], [.integer(11), .string("1")], [.integer(11), .null, .null], [.integer(11), .boolean(true)],
    ]

    @Test("a malformed request is refused", arguments: bad.indices)
    func malformed(_ index: Int) {
        #expect(throws: MessageCodingFailure.self) {
            try MessageCoding.decodeRequest(body: DERWriter.encode(.array(Self.bad[index])), secrets: [])
        }
    }

    @Test("a request with a secret is refused")
    func secretBeside() {
        #expect(throws: MessageCodingFailure.self) {
            try MessageCoding.decodeRequest(
                body: MessageCoding.encode(EventRequest(after: nil)).body, secrets: [SecretBox(copying: [1])])
        }
    }

    @Test("an unknown state, and a number alone, are refused")
    func malformedReplies() {
        for fields in [[PropertyValue.integer(12), .integer(1)], [.integer(12), .integer(1), .integer(5)]] {
            #expect(throws: MessageCodingFailure.self) {
                try MessageCoding.decodeEventReply(body: DERWriter.encode(.array(fields)), secrets: [])
            }
        }
    }
}
