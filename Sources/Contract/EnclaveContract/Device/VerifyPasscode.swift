package import LatchkeySecretMemory

/// A request to check the passcode. It counts as a try and does not change the lock state.
package struct VerifyPasscode: EnclaveQuestion {
    package static let numbers = [MessageNumber(6)]
    package static let traits: QuestionTraits = []

    package let passcode: SecretBox

    package init(_ passcode: SecretBox) {
        self.passcode = passcode
    }

    package func write(to writer: inout MessageWriter) {
        writer.secret(passcode)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        self.init(try reader.passcode())
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> Done {
        try enclave.answer(self)
    }
}
