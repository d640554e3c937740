import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyLocalTransport
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("Answers that are larger than a message, through a daemon")
struct LargeAnswerTests {
    /// With these, all secrets are 72 MiB.
    private static let (count, byteCount) = (72, 1 << 20)

    private static func query(_ more: [QueryPair]) -> [QueryPair] {
        [QueryPair("class", .string("genp")), QueryPair("svce", .string("large"))] + more
    }

    private static let all = ItemRequest(
        operation: .find,
        query: query([QueryPair("m_Limit", .string("m_LimitAll")), QueryPair("r_Data", .boolean(true))]),
        wantsResult: true)

    @Test("all items come, in an order of their own; a program of a revision before is told that they are too large")
    func all() throws {
        let device = try ThrowawayDevice.unlocked()
        let path = device.directory + "/run/keychain.sock"
        let keychain = RemoteKeychain(socketPath: path)
        for number in 0..<Self.count {
            let secret = SecretBox(copying: [UInt8](repeating: UInt8(number), count: Self.byteCount))
            let add = ItemRequest(
                operation: .add,
                query: Self.query([QueryPair("acct", .string("\(number)")), QueryPair("v_Data", .secret(0))]),
                wantsResult: false, secrets: [secret])
            #expect(keychain.perform(add).code == .success)
        }
        let reply = keychain.perform(Self.all)
        #expect(reply.code == .success)
        #expect(reply.result == .array((0..<Self.count).map { .secret($0) }))
        let marks = reply.secrets.map { secret in secret.withBytes { [$0.first, $0.last] } }
        #expect(marks == (0..<Self.count).map { [UInt8($0), UInt8($0)] })
        #expect(reply.secrets.allSatisfy { $0.count == Self.byteCount })

        let connection = try ClientConnection(connectingTo: path)
        let whole = try connection.call(MessageCoding.encode(Self.all))
        let refused = try MessageCoding.decodeItemReply(body: whole.body, secrets: whole.secrets)
        #expect(refused.code == .dataTooLarge && refused.refusal?.rule == .answerTooLarge)

        // Between two parts nothing else may be asked on their connection.
        #expect(
            try MessageCoding.decodeItemReplyPart(connection.call(MessageCoding.encodeForParts(Self.all)))?.number == 0)
        #expect(throws: TransportFailure.refused(.malformed)) {
            try connection.call(MessageCoding.encode(Self.all))
        }
        // And the next part only between parts.
        let other = try ClientConnection(connectingTo: path)
        let lone = try other.call(MessageCoding.nextPart)
        #expect(try MessageCoding.decodeItemReply(body: lone.body, secrets: []).refusal?.rule == .malformedRequest)
    }
}
