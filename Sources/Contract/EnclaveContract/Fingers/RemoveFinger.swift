package import LatchkeySecretMemory

/// A request to remove a finger from the sensor. It needs the passcode, which counts as a try.
package struct RemoveFinger: EnclaveQuestion {
    package static let numbers = [MessageNumber.fingerQuestion(5)]
    package static let traits: QuestionTraits = .changesKeys

    /// Nil for all fingers.
    package let finger: Finger?
    package let passcode: SecretBox

    package init(_ finger: Finger?, passcode: SecretBox) {
        self.finger = finger
        self.passcode = passcode
    }

    package func write(to writer: inout MessageWriter) {
        writer.optionalFinger(finger)
        writer.secret(passcode)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        finger = try reader.optionalFinger()
        passcode = try reader.passcode()
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> FingerRemoval {
        try enclave.answer(self)
    }
}

package enum FingerRemoval: EnclaveAnswer, Hashable {
    case removed
    case failed(SensorObstacle)

    package var number: MessageNumber {
        switch self {
        case .removed: FingersDone.number
        case .failed: .fingerAnswer(4)
        }
    }

    package func write(to writer: inout MessageWriter) {
        if case .failed(let obstacle) = self { writer.byte(obstacle.rawValue) }
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        switch number {
        case FingersDone.number: self = .removed
        case .fingerAnswer(4): self = .failed(try reader.obstacle())
        default: return nil
        }
    }
}
