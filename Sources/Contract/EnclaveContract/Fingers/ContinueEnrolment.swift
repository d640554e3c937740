/// A request for the next event of an enrolment. It blocks until a touch, at most some seconds; `.stage` is repeated
/// then.
package struct ContinueEnrolment: BareQuestion {
    package static let numbers = [MessageNumber.fingerQuestion(3)]
    package static let traits: QuestionTraits = [.waitsForPerson, .changesKeys]

    package init() {}

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> EnrolmentEvent {
        try enclave.answer(self)
    }
}

package enum EnrolmentEvent: Sendable, Hashable {
    /// `total` is 0 if the sensor does not know it.
    case stage(done: Int, total: Int)
    case unclear(UnclearTouch)
    case completed
    /// This finger is already enrolled, perhaps under another name.
    case duplicate
    case ended
    case failed(SensorObstacle)
}

/// The first byte of a step of an enrolment.
private enum EnrolmentEventKind: UInt8 {
    case stage = 1
    case unclear = 2
    case completed = 3
    case duplicate = 4
    case ended = 5
    case failed = 6
}

extension EnrolmentEvent: EnclaveAnswer {
    private static let number = MessageNumber.fingerAnswer(2)

    package var number: MessageNumber { Self.number }

    package func write(to writer: inout MessageWriter) {
        writer.byte(kind.rawValue)
        switch self {
        case .stage(let done, let total):
            writer.byte(UInt8(clamping: done))
            writer.byte(UInt8(clamping: total))
        case .unclear(let touch): writer.byte(touch.rawValue)
        case .failed(let obstacle): writer.byte(obstacle.rawValue)
        case .completed, .duplicate, .ended: break
        }
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        guard number == Self.number else { return nil }
        switch try reader.choice("enrolment event", of: EnrolmentEventKind.self) {
        case .stage:
            let done = Int(try reader.byte())
            self = .stage(done: done, total: Int(try reader.byte()))
        case .unclear: self = .unclear(try reader.choice("touch", of: UnclearTouch.self))
        case .completed: self = .completed
        case .duplicate: self = .duplicate
        case .ended: self = .ended
        case .failed: self = .failed(try reader.obstacle())
        }
    }

    private var kind: EnrolmentEventKind {
        switch self {
        case .stage: .stage
        case .unclear: .unclear
        case .completed: .completed
        case .duplicate: .duplicate
        case .ended: .ended
        case .failed: .failed
        }
    }
}
