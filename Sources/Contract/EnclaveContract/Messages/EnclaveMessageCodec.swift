package import LatchkeySecretMemory

/// The encoding of mailbox messages (`Docs/Formats/enclave-mailbox.md`). Secrets are sent beside the body, not in it.
package enum EnclaveMessageCodec {
    package typealias Encoded = (body: [UInt8], secrets: [SecretBox])

    static let version: UInt8 = 1

    package static func encode(_ question: some EnclaveQuestion) -> Encoded {
        var writer = MessageWriter(version: version, question.number)
        question.write(to: &writer)
        return (writer.body, writer.secrets)
    }

    package static func decodeQuestion(
        body: [UInt8], secrets: [SecretBox]
    ) throws(EnclaveMessageFailure) -> any EnclaveQuestion {
        var reader = MessageReader(body: body, secrets: secrets)
        let number = try number(&reader, MessageNumber.questionFamilies)
        guard let type = EnclaveQuestions.type(of: number) else {
            throw unknown(number, MessageNumber.questionFamilies)
        }
        let question = try type.init(number, from: &reader)
        try reader.finish()
        return question
    }

    package static func encode(_ answer: some EnclaveAnswer) -> Encoded {
        var writer = MessageWriter(version: version, answer.number)
        answer.write(to: &writer)
        return (writer.body, writer.secrets)
    }

    package static func encode(_ refusal: EnclaveRefusal) -> Encoded {
        var writer = MessageWriter(version: version, .refusal)
        refusal.write(to: &writer)
        return (writer.body, writer.secrets)
    }

    /// Decodes an answer of the given type, or throws the device's refusal.
    package static func decode<Answer: EnclaveAnswer>(
        _ type: Answer.Type, body: [UInt8], secrets: [SecretBox]
    ) throws(EnclaveMessageFailure) -> Result<Answer, EnclaveRefusal> {
        var reader = MessageReader(body: body, secrets: secrets)
        let number = try number(&reader, MessageNumber.answerFamilies)
        let result: Result<Answer, EnclaveRefusal>
        if number == .refusal {
            result = .failure(try EnclaveRefusal(from: &reader))
        } else if let answer = try Answer(number, from: &reader) {
            result = .success(answer)
        } else {
            throw unknown(number, MessageNumber.answerFamilies)
        }
        try reader.finish()
        return result
    }

    private static func number(
        _ reader: inout MessageReader, _ families: [UInt8: String]
    ) throws(EnclaveMessageFailure) -> MessageNumber {
        let version = try reader.byte()
        guard version == Self.version else { throw .unknownVersion(version) }
        let kind = try reader.byte()
        return MessageNumber(kind, families[kind] == nil ? nil : try reader.byte())
    }

    private static func unknown(_ number: MessageNumber, _ families: [UInt8: String]) -> EnclaveMessageFailure {
        guard let part = number.part, let family = families[number.kind] else { return .unknownKind(number.kind) }
        return .badValue(field: family, found: UInt64(part))
    }
}
