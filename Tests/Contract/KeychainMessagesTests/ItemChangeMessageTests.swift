import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

/// Changes of items as messages.
@Suite struct ItemChangeMessageTests {
    @Test("a question decodes to itself", arguments: [nil, 0, 1, .max] as [Int64?], [1, 20, 600] as [Int64])
    func questions(_ known: Int64?, _ seconds: Int64) throws {
        let asked = AwaitItemChange(after: known.map { ItemChangeCount($0) }, seconds: seconds)
        let message = MessageCoding.encode(asked)
        guard
            case .itemChange(let question) = try MessageCoding.decodeRequest(
                body: message.body, secrets: message.secrets)
        else {
            Issue.record("another message")
            return
        }
        #expect(question == asked)
    }

    @Test("an answer and the ends of the watch decode to themselves")
    func answers() throws {
        let count = ItemChangeCount(7)
        #expect(try AwaitItemChange.answer(in: AwaitItemChange.message(of: count)) == .success(count))
        for end in [ItemWatchEnded.tooMany, .deviceEnds] {
            #expect(try AwaitItemChange.answer(in: MessageCoding.encode(end)) == .failure(end))
        }
    }

    @Test("messages are those of Docs/Formats/socket.md")
    func bytes() {
        let messages: [(WireMessage, [UInt8])] = [
            (MessageCoding.encode(AwaitItemChange(after: nil, seconds: 20)), [0x30, 8, 2, 1, 15, 5, 0, 2, 1, 20]),
            (
                MessageCoding.encode(AwaitItemChange(after: ItemChangeCount(300))),
                [0x30, 11, 2, 1, 15, 2, 2, 1, 44, 2, 2, 2, 88]
            ),
            (AwaitItemChange.message(of: ItemChangeCount(300)), [0x30, 10, 2, 1, 16, 2, 1, 1, 2, 2, 1, 44]),
            (MessageCoding.encode(ItemWatchEnded.tooMany), [0x30, 6, 2, 1, 16, 2, 1, 2]),
            (MessageCoding.encode(ItemWatchEnded.deviceEnds), [0x30, 6, 2, 1, 16, 2, 1, 3]),
        ]
        for (message, bytes) in messages {
            #expect(message.body == bytes)
            #expect(message.secrets.isEmpty)
        }
    }

    private static let bad: [[PropertyValue]] = [
        [.integer(15)], [.integer(15), .null], [.integer(15), .string("1"), .integer(1)],
        [.integer(15), .null, .integer(0)], [.integer(15), .null, .integer(601)],
        [.integer(15), .null, .integer(1), .null], [.integer(16), .integer(1), .integer(1)],
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
                body: MessageCoding.encode(AwaitItemChange(after: nil)).body, secrets: [SecretBox(copying: [1])])
        }
    }

    @Test("an unknown answer is refused")
    func malformedReplies() {
        for fields in [[PropertyValue.integer(16)], [.integer(16), .integer(1)], [.integer(16), .integer(4)]] {
            let message = WireMessage(body: DERWriter.encode(.array(fields)), secrets: [])
            #expect(throws: MessageCodingFailure.self) { try AwaitItemChange.answer(in: message) }
        }
    }
}
