/// A request to wait for a finger, for at most `seconds`, and to unlock the device.
package struct UnlockWithFinger: EnclaveQuestion {
    package static let numbers = [MessageNumber.fingerQuestion(6)]
    package static let traits: QuestionTraits = [.waitsForPerson, .changesKeys]

    package let seconds: Double

    package init(seconds: Double) {
        self.seconds = seconds
    }

    package func write(to writer: inout MessageWriter) {
        writer.seconds(seconds)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        self.init(seconds: try reader.seconds("wait"))
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> MatchOutcome {
        try enclave.answer(self)
    }
}
