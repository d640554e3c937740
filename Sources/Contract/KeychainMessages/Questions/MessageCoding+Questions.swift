import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// Questions and their answers as bytes.
extension MessageCoding {
    package static func encode(_ question: some KeychainQuestion) -> WireMessage { question.message }

    /// A question as the message of its kind: its number, then its fields.
    static func numbered<Question: NumberedQuestion>(_ question: Question) -> WireMessage {
        var writer = FieldWriter(Question.number)
        question.write(to: &writer)
        return message(Question.Failure.questionKind, writer.values, secrets: writer.secrets)
    }

    /// - Parameter question: the type of the question that is answered.
    package static func encode<Question: KeychainQuestion>(
        _ answer: Question.Answer, to question: Question.Type
    ) -> WireMessage {
        var writer = FieldWriter(answer.replyNumber)
        answer.write(to: &writer)
        return message(Question.Failure.answerKind, writer.values, secrets: writer.secrets)
    }

    package static func encode<Failure: KeychainFailure>(_ failure: Failure) -> WireMessage {
        var writer = FieldWriter()
        failure.write(to: &writer)
        return message(Failure.answerKind, writer.values, secrets: writer.secrets)
    }

    /// The answer to a question of a type, or what was thrown in its place.
    package static func decodeAnswer<Question: KeychainQuestion>(
        to question: Question.Type, body: [UInt8], secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> Result<Question.Answer, Question.Failure> {
        var fields = try fields(of: body, secrets: secrets, expected: Question.Failure.answerKind)
        let number = try fields.integer("reply")
        let result: Result<Question.Answer, Question.Failure>
        if let answer = try Question.Answer(number, from: &fields) {
            result = .success(answer)
        } else if let failure = try Question.Failure(number, from: &fields) {
            result = .failure(failure)
        } else {
            throw .badField("reply")
        }
        try fields.finish()
        return result
    }
}
