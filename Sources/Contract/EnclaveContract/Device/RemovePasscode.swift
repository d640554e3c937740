package import LatchkeySecretMemory

/// A request to remove the passcode. Items that need a device with a passcode are lost. `passcode` is the current one.
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
