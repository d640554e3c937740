/// A request to wait for one touch; a match becomes evidence of the context. It needs a connection of its own. Matches
/// run one at a time, and the time spent waiting for another one counts towards `seconds`.
package struct MatchFinger: EnclaveQuestion {
    package static let numbers = [MessageNumber.contextQuestion(6)]
    package static let traits: QuestionTraits = .waitsForPerson

    package let context: ContextIdentifier
    package let seconds: Double

    package init(seconds: Double, in context: ContextIdentifier) {
        self.context = context
        self.seconds = seconds
    }

    package func write(to writer: inout MessageWriter) {
        writer.context(context)
        writer.seconds(seconds)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        context = try reader.context()
        seconds = try reader.seconds("wait")
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> ContextAnswer<MatchOutcome> {
        try enclave.answer(self)
    }
}
