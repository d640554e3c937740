import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// A message between a program and the keychain: what is accepted can be written and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let (body, secrets) = message(UnsafeRawBufferPointer(start: start, count: count))
    if let call = try? MessageCoding.decodeRequest(body: body, secrets: secrets) {
        let again =
            switch call {
            case .item(let request): MessageCoding.encode(request)
            case .device(let request): MessageCoding.encode(request)
            case .authentication(let question): MessageCoding.encode(question)
            case .agent(let question): MessageCoding.encode(question)
            case .key(let question): MessageCoding.encode(question)
            case .event(let question): MessageCoding.encode(question)
            case .fileKey(let question): MessageCoding.encode(question)
            case .itemChange(let question): MessageCoding.encode(question)
            case .itemParts(let request): MessageCoding.encodeForParts(request)
            case .nextPart: MessageCoding.nextPart
            }
        guard (try? MessageCoding.decodeRequest(body: again.body, secrets: again.secrets)) != nil else {
            preconditionFailure("the own request is refused")
        }
    }
    if let reply = try? MessageCoding.decodeItemReply(body: body, secrets: secrets) {
        let again = MessageCoding.encode(reply)
        guard (try? MessageCoding.decodeItemReply(body: again.body, secrets: again.secrets)) != nil else {
            preconditionFailure("the own reply is refused")
        }
    }
    let message = WireMessage(body: body, secrets: secrets)
    var joined = JoinedParts()
    _ = try? joined.take(message)
    if case let part?? = try? MessageCoding.decodeItemReplyPart(message) {
        guard case .some(.some) = try? MessageCoding.decodeItemReplyPart(MessageCoding.encode(part)) else {
            preconditionFailure("the own part of a reply is refused")
        }
    }
    for question in DeviceQuestions.listed { checkAnswer(to: question, body, secrets) }
    checkAnswer(to: DescribeDevice.self, body, secrets)
    checkAnswer(to: ListRefusals.self, body, secrets)
    for question in ForwardedQuestions.all { checkForwardedAnswer(to: question, body, secrets) }
    for question in AuthenticationQuestions.all { checkAnswer(to: question, body, secrets) }
    for question in AgentQuestions.all { checkAnswer(to: question, body, secrets) }
    for question in KeyQuestions.all { checkAnswer(to: question, body, secrets) }
    for question in FileKeyQuestions.all { checkAnswer(to: question, body, secrets) }
    checkAnswer(to: AwaitItemChange.self, body, secrets)
    if let caller = try? MessageCoding.decodeCaller(body) {
        guard (try? MessageCoding.decodeCaller(MessageCoding.encode(caller))) == caller else {
            preconditionFailure("a declared caller changes on its way")
        }
    }
    return 0
}

private func checkForwardedAnswer<Question: ForwardedQuestion>(
    to question: Question.Type, _ body: [UInt8], _ secrets: [SecretBox]
) {
    checkAnswer(to: Forwarded<Question>.self, body, secrets)
}

/// Checks that an accepted answer to a question can be written and read again.
private func checkAnswer<Question: KeychainQuestion>(
    to question: Question.Type, _ body: [UInt8], _ secrets: [SecretBox]
) {
    guard let result = try? MessageCoding.decodeAnswer(to: question, body: body, secrets: secrets) else { return }
    let again =
        switch result {
        case .success(let answer): MessageCoding.encode(answer, to: question)
        case .failure(let failure): MessageCoding.encode(failure)
        }
    guard (try? MessageCoding.decodeAnswer(to: question, body: again.body, secrets: again.secrets)) != nil else {
        preconditionFailure("the own answer is refused")
    }
}
