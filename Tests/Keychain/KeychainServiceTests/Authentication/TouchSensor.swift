import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyThreading

/// A fingerprint reader that sees a touch when the test says so.
final class TouchSensor: BiometricSensor, @unchecked Sendable {
    // Sendable because what changes is only touched inside of the condition's lock.
    private let condition = WaitCondition()
    private var fingers: [Finger]
    private var enrolments: UInt8 = 1
    private var obstacleNow: SensorObstacle?
    private var touches: [SensorEvent] = []
    private var nextEnrolmentEnd = EnrolmentEvent.completed

    init(_ fingers: [Finger]) {
        self.fingers = fingers
    }

    func touch(_ event: SensorEvent) {
        condition.withLock {
            touches.append(event)
            condition.wakeAll()
        }
    }

    func enrol(_ finger: Finger) {
        condition.withLock {
            fingers.append(finger)
            enrolments += 1
        }
    }

    func removeAll() {
        condition.withLock { fingers = [] }
    }

    var obstacle: SensorObstacle? {
        get { condition.withLock { obstacleNow } }
        set { condition.withLock { obstacleNow = newValue } }
    }

    /// The end of the next enrolments; only those that complete change anything.
    var enrolmentEnd: EnrolmentEvent {
        get { condition.withLock { nextEnrolmentEnd } }
        set { condition.withLock { nextEnrolmentEnd = newValue } }
    }

    func survey() -> SensorSurvey {
        condition.withLock {
            if let obstacleNow { return SensorSurvey(name: "touch", obstacle: obstacleNow) }
            let digest = fingers.isEmpty ? [] : [enrolments] + fingers.flatMap { Array($0.rawValue.utf8) }
            return SensorSurvey(name: "touch", fingers: fingers, digest: digest, seesTemplates: true)
        }
    }

    func match(until cancellation: Cancellation) -> SensorEvent {
        cancellation.whenCancelled { [condition] in condition.withLock { condition.wakeAll() } }
        return condition.withLock {
            while touches.isEmpty {
                if cancellation.isOver { return .ended }
                condition.wait()
            }
            return touches.removeFirst()
        }
    }

    func enrol(
        _ finger: Finger, until cancellation: Cancellation, report: (EnrolmentEvent) -> Void
    ) -> EnrolmentEvent {
        let end = condition.withLock { nextEnrolmentEnd }
        if end == .completed { enrol(finger) }
        return end
    }

    func remove(_ finger: Finger?) -> SensorObstacle? {
        condition.withLock { fingers.removeAll { finger == nil || $0 == finger } }
        return nil
    }
}
