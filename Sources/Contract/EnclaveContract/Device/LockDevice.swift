/// A request to lock the device. The keys are removed at the end of the grace period, or at once.
package struct LockDevice: EnclaveQuestion {
    package static let numbers = [MessageNumber(7)]
    package static let traits: QuestionTraits = [.repeatable, .changesKeys]

    package let immediately: Bool

    package init(immediately: Bool) {
        self.immediately = immediately
    }

    package func write(to writer: inout MessageWriter) {
        writer.flag(immediately)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        self.init(immediately: try reader.flag("immediately"))
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> Done {
        try enclave.answer(self)
    }
}
