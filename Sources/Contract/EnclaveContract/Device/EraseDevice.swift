package import LatchkeySecretMemory

/// A request to delete every key permanently. It needs the passcode if one is set.
package struct EraseDevice: EnclaveQuestion {
    package static let numbers = [MessageNumber(8)]
    package static let traits: QuestionTraits = .changesKeys

    package let passcode: SecretBox?

    package init(passcode: SecretBox?) {
        self.passcode = passcode
    }

    package func write(to writer: inout MessageWriter) {
        writer.optional(passcode) { $0.secret($1) }
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        self.init(passcode: try reader.optionalPasscode())
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> Done {
        try enclave.answer(self)
    }
}
