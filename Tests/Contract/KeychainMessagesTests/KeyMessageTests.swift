import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Testing

@Suite("Messages about keys of the enclave are read as they were written")
struct KeyMessageTests {
    @Test("requests", arguments: Samples.keyRequests.indices)
    func requests(index: Int) throws {
        let request = Samples.keyRequests[index]
        let message = MessageCoding.encode(request)
        #expect(message.secrets.isEmpty)
        guard case .key(let copy) = try MessageCoding.decodeRequest(body: message.body, secrets: []) else {
            throw MessageCodingFailure.badField("")
        }
        switch (copy, request) {
        case (.create(let key, let one, let how), .create(let otherKey, let other, let otherHow)):
            #expect(key == otherKey && one == other && how == otherHow)
        case (
            .signMessage(let one, let message, let string, let how),
            .signMessage(let other, let otherMessage, let otherString, let otherHow)
        ):
            #expect(one == other && message == otherMessage && string == otherString && how == otherHow)
        case (.decapsulate(let one, let text, let how), .decapsulate(let other, let otherText, let otherHow)):
            #expect(one == other && text == otherText && how == otherHow)
        case (.sign(let one, let digest, let how), .sign(let other, let otherDigest, let otherHow)):
            #expect(one == other && digest == otherDigest && how == otherHow)
        case (.agree(let one, let peer, let how), .agree(let other, let otherPeer, let otherHow)):
            #expect(one == other && peer == otherPeer && how == otherHow)
        case (.describe(let one), .describe(let other)): #expect(one == other)
        default: Issue.record("\(request) was read as something else")
        }
    }

    @Test("replies", arguments: Samples.keyReplies.indices)
    func replies(index: Int) throws {
        let reply = Samples.keyReplies[index]
        let message = MessageCoding.encode(reply)
        switch (try MessageCoding.decodeKeyReply(body: message.body, secrets: message.secrets), reply) {
        case (.created(let blob, let point), .created(let otherBlob, let otherPoint)):
            #expect(blob == otherBlob && point == otherPoint && message.secrets.isEmpty)
        case (.signature(let one), .signature(let other)): #expect(one == other && message.secrets.isEmpty)
        case (.agreed(let one), .agreed(let other)):
            #expect(one.withBytes { Array($0) } == other.withBytes { Array($0) } && message.secrets.count == 1)
            // A shared secret travels beside the message, never in it.
            let text = Array("shared secret".utf8)
            #expect(!message.body.indices.contains { message.body[$0...].starts(with: text) })
        case (.described(let point, let control), .described(let otherPoint, let otherControl)):
            #expect(point == otherPoint && control == otherControl && message.secrets.isEmpty)
        case (.failed(let code, let refusal), .failed(let otherCode, let otherRefusal)):
            #expect(code == otherCode && refusal == otherRefusal && message.secrets.isEmpty)
        default: Issue.record("\(reply) was read as something else")
        }
    }
}
