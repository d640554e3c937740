import LatchkeyEnclaveCore
import LatchkeyThreading

/// An enrolment of a finger that is under way on a thread of its own, and what it has to tell.
final class EnrolmentRun: @unchecked Sendable {
    // Sendable because the variables are only touched inside of the condition's lock.
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

    /// The last event; nothing comes after it.
    func finish(_ event: EnrolmentEvent) {
        add(event, isLast: true)
    }

    /// The next event; after two seconds without one the last stage again, after the last one ``EnrolmentEvent/ended``.
    /// Blocks.
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
