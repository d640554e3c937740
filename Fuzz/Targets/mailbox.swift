import LatchkeyEnclaveContract
import LatchkeySecretMemory

/// A message to the enclave or from it: what is accepted is written as it was read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let message = message(UnsafeRawBufferPointer(start: start, count: count))
    if let question = try? EnclaveMessageCodec.decodeQuestion(body: message.body, secrets: message.secrets) {
        let again = EnclaveMessageCodec.encode(question)
        precondition(again.body == message.body && again.secrets.count == message.secrets.count)
    }
    for type in EnclaveQuestions.all { readAnswer(to: type, message.body, message.secrets) }
    return 0
}

private func readAnswer<Question: EnclaveQuestion>(
    to type: Question.Type, _ body: [UInt8], _ secrets: [SecretBox]
) {
    guard let read = try? EnclaveMessageCodec.decode(Question.Answer.self, body: body, secrets: secrets),
        case .success(let answer) = read
    else { return }
    let again = EnclaveMessageCodec.encode(answer)
    guard
        case .success? = try? EnclaveMessageCodec.decode(Question.Answer.self, body: again.body, secrets: again.secrets)
    else { preconditionFailure("the own answer is refused") }
}
