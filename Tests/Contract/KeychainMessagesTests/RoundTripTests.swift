import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("Every message is read as it was written")
struct MessageRoundTripTests {
    private func texts(_ secrets: [SecretBox]) -> [[UInt8]] {
        secrets.map { secret in secret.withBytes { Array($0) } }
    }

    @Test("item requests", arguments: Samples.requests.indices)
    func itemRequests(index: Int) throws {
        let request = Samples.requests[index]
        let message = MessageCoding.encode(request)
        guard case .item(let copy) = try MessageCoding.decodeRequest(body: message.body, secrets: message.secrets)
        else {
            Issue.record("read as a device request")
            return
        }
        #expect(copy.operation == request.operation)
        #expect(copy.query == request.query)
        #expect(copy.changes == request.changes)
        #expect(copy.wantsResult == request.wantsResult)
        #expect(texts(copy.secrets) == texts(request.secrets))
        #expect(copy.owner?.accessGroup == request.owner?.accessGroup)
        #expect(copy.owner.map { texts([$0.passcode]) } == request.owner.map { texts([$0.passcode]) })
    }

    @Test("item replies", arguments: Samples.replies.indices)
    func itemReplies(index: Int) throws {
        let reply = Samples.replies[index]
        let message = MessageCoding.encode(reply)
        let copy = try MessageCoding.decodeItemReply(body: message.body, secrets: message.secrets)
        #expect(copy.code == reply.code)
        #expect(copy.result == reply.result)
        #expect(copy.refusal == reply.refusal)
        #expect(copy.affectedRows == reply.affectedRows)
        #expect(texts(copy.secrets) == texts(reply.secrets))
    }

    @Test("device requests", arguments: Samples.deviceRequests.indices)
    func deviceRequests(index: Int) throws {
        let message = MessageCoding.encode(Samples.deviceRequests[index])
        guard case .device(let copy) = try MessageCoding.decodeRequest(body: message.body, secrets: message.secrets)
        else {
            Issue.record("read as an item request")
            return
        }
        // The requests are not comparable; their encodings are.
        let again = MessageCoding.encode(copy)
        #expect(again.body == message.body)
        #expect(texts(again.secrets) == texts(message.secrets))
    }

    @Test("answers", arguments: Samples.answers)
    func answers(_ sample: AnswerSample) throws {
        #expect(try sample.isReadAsWritten())
    }

    @Test("declared callers")
    func callers() throws {
        let callers = [
            Caller(name: "com.example.mail", accessGroups: ["b", "a", "TEAM.c"]),
            Caller(name: "", accessGroups: [], isDenied: true),
        ]
        for caller in callers { #expect(try MessageCoding.decodeCaller(MessageCoding.encode(caller)) == caller) }
    }

    @Test(
        "a refusal keeps the name of its rule, also one of a newer version",
        arguments: [(Rule.itemEnded.rawValue, Rule.itemEnded), ("rule-to-come", nil), ("", nil)] as [(String, Rule?)])
    func ruleNames(_ name: String, _ rule: Rule?) throws {
        let refusal = Refusal(ruleName: name, reason: "r", advice: "a")
        let message = MessageCoding.encode(ItemReply(code: .param, refusal: refusal))
        let copy = try #require(try MessageCoding.decodeItemReply(body: message.body, secrets: message.secrets).refusal)
        #expect(copy.ruleName == name && copy.rule == rule)
        #expect(copy.advising("b") == Refusal(ruleName: name, reason: "r", advice: "b"))
    }

    @Test("secrets are never part of the body")
    func secretsStayOutside() {
        let needle = Array("correct horse battery".utf8)
        let box = SecretBox(copying: needle)
        let request = ItemRequest(
            operation: .add, query: [QueryPair("v_Data", .secret(0))], wantsResult: false, secrets: [box],
            owner: OwnerAuthority(accessGroup: "*", passcode: box))
        let bodies = [
            MessageCoding.encode(request).body, MessageCoding.encode(Forwarded(UnlockDevice(box))).body,
            MessageCoding.encode(ItemReply(code: .success, result: .secret(0), secrets: [box])).body,
            MessageCoding.encode(
                TrustTeam(key: Samples.key(1), name: "n", expires: nil, passcode: box)
            ).body,
            MessageCoding.encode(ForgetApplication("a", removesItems: nil, passcode: box)).body,
        ]
        for body in bodies { #expect(!String(decoding: body, as: UTF8.self).contains("horse")) }
    }
}
