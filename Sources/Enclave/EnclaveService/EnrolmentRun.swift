import LatchkeyEnclaveContract
import LatchkeyThreading

/// An enrolment of a finger that runs on a thread of its own, and its events.
final class EnrolmentRun: @unchecked Sendable {
    // Sendable because the variables are only accessed under the condition's lock.
    private static let longestSeconds: Double = 180
    private static let answerNanoseconds = 2_000_000_000

    let finger: Finger
    let cancellation = Cancellation(seconds: longestSeconds)
    private let condition = WaitCondition()
    private var events: [EnrolmentEvent] = []
    private var lastStage = EnrolmentEvent.stage(done: 0, total: 0)
    private var isOver = false

    init(_ finger: Finger) {
        self.finger = finger
    }

    func report(_ event: EnrolmentEvent) {
        add(event, isLast: false)
    }

    /// Adds the last event.
    func finish(_ event: EnrolmentEvent) {
        add(event, isLast: true)
    }

    /// Returns the next event. After two seconds without one, repeats the last stage; after the last event, returns
    /// ``EnrolmentEvent/ended``. Blocks.
    func next() -> EnrolmentEvent {
        condition.withLock {
            let deadline = WaitCondition.Deadline(afterNanoseconds: Self.answerNanoseconds)
            while events.isEmpty, !isOver, condition.wait(until: deadline) {}
            guard !events.isEmpty else { return isOver ? .ended : lastStage }
            let event = events.removeFirst()
            if case .stage = event { lastStage = event }
            return event
        }
    }

    private func add(_ event: EnrolmentEvent, isLast: Bool) {
        condition.withLock {
            guard !isOver else { return }
            events.append(event)
            isOver = isLast
            condition.wakeAll()
        }
    }
}
