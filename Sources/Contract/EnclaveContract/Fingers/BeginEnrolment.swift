package import LatchkeySecretMemory

/// A request to begin the enrolment of a finger. It needs the passcode, which counts as a try, and ends an enrolment in
/// progress.
package struct BeginEnrolment: EnclaveQuestion {
    package static let numbers = [MessageNumber.fingerQuestion(2)]
    package static let traits: QuestionTraits = .changesKeys

    package let finger: Finger
    package let passcode: SecretBox

    package init(of finger: Finger, passcode: SecretBox) {
        self.finger = finger
        self.passcode = passcode
    }

    package func write(to writer: inout MessageWriter) {
        writer.finger(finger)
        writer.secret(passcode)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        finger = try reader.finger()
        passcode = try reader.passcode()
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> FingersDone {
        try enclave.answer(self)
    }
}
