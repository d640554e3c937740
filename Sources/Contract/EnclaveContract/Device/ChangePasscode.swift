package import LatchkeySecretMemory

/// A request to replace the passcode. The lock state does not change.
package struct ChangePasscode: EnclaveQuestion {
    package static let numbers = [MessageNumber(3)]
    package static let traits: QuestionTraits = .changesKeys

    package let current: SecretBox
    package let new: SecretBox

    package init(from current: SecretBox, to new: SecretBox) {
        self.current = current
        self.new = new
    }

    package func write(to writer: inout MessageWriter) {
        writer.secret(current)
        writer.secret(new)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        current = try reader.passcode()
        new = try reader.passcode()
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> Done {
        try enclave.answer(self)
    }
}
