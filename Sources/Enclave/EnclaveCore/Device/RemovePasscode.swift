package import LatchkeySecretMemory

/// Takes the passcode away, and with it what only a device with one keeps. The passcode is the current one.
package struct RemovePasscode: EnclaveQuestion {
    package static let numbers = [MessageNumber(4)]
    package static let traits: QuestionTraits = .changesKeys

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
