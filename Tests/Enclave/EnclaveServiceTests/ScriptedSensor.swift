import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyThreading

/// A fingerprint reader whose events come from the test, when the test says so.
final class ScriptedSensor: BiometricSensor, @unchecked Sendable {
    // Sendable because everything that changes is only touched inside of the condition's lock.
    private let condition = WaitCondition()
    private var fingers: [Finger: UInt8] = [:]
    private var template: UInt8 = 0
    private var obstacleNow: SensorObstacle?
    private var events: [SensorEvent] = []
    private var enrolmentEvents: [EnrolmentEvent] = []
    private var matchesRunning = 0
    private var mostMatchesAtOnce = 0
    private var enrolmentsRunning = 0
    private var surveysAsked = 0
    private var generation: UInt64?
    private var atMatchEnd: (@Sendable () -> Void)?
    private var ignoresCancellation = false
    private var outlastsDeadline = false

    /// - Parameter generation: nil for a sensor that cannot tell whether something changed.
    init(_ fingers: Finger..., generation: UInt64? = nil) {
        self.generation = generation
        for finger in fingers { enroll(finger) }
    }

    // MARK: The test's side

    func enroll(_ finger: Finger) {
        change {
            template += 1
            fingers[finger] = template
        }
    }

    /// Puts back templates that were there before.
    func put(_ templates: [Finger: UInt8]) {
        change { fingers = templates }
    }

    var templates: [Finger: UInt8] { condition.withLock { fingers } }

    func remove(finger: Finger) {
        change { fingers[finger] = nil }
    }

    var obstacle: SensorObstacle? {
        get { condition.withLock { obstacleNow } }
        set { change { obstacleNow = newValue } }
    }

    /// The next touches, one per wait.
    func give(_ more: SensorEvent...) {
        change(isSurvey: false) { events += more }
    }

    func giveEnrolment(_ more: EnrolmentEvent...) {
        change(isSurvey: false) { enrolmentEvents += more }
    }

    /// Runs when a touch was read, before the enclave hears of it.
    func atEndOfMatch(_ action: @escaping @Sendable () -> Void) {
        condition.withLock { atMatchEnd = action }
    }

    /// Goes on waiting for an event after the wait was cancelled, as a sensor that answers late.
    func answerLate() {
        condition.withLock { ignoresCancellation = true }
    }

    /// Tells of a touch only when the wait's deadline has passed.
    func answerAfterDeadline() {
        condition.withLock { outlastsDeadline = true }
    }

    /// Returns when the enclave waits for a finger. Blocks.
    func waitForMatch() {
        condition.withLock { while matchesRunning == 0 { condition.wait() } }
    }

    func waitForEnrolment() {
        condition.withLock { while enrolmentsRunning == 0 { condition.wait() } }
    }

    var surveys: Int { condition.withLock { surveysAsked } }
    var mostAtOnce: Int { condition.withLock { mostMatchesAtOnce } }

    private func change(isSurvey: Bool = true, _ body: () -> Void) {
        condition.withLock {
            body()
            if isSurvey { generation? += 1 }
            condition.wakeAll()
        }
    }

    // MARK: The enclave's side

    var surveyGeneration: UInt64? { condition.withLock { generation } }

    func survey() -> SensorSurvey {
        condition.withLock {
            surveysAsked += 1
            if let obstacleNow { return SensorSurvey(name: "scripted", obstacle: obstacleNow) }
            let names = fingers.keys.sorted { $0.rawValue < $1.rawValue }
            return SensorSurvey(
                name: "scripted", fingers: names,
                digest: names.flatMap { Array($0.rawValue.utf8) + [fingers[$0] ?? 0] },
                seesTemplates: true)
        }
    }

    func match(until cancellation: Cancellation) -> SensorEvent {
        cancellation.whenCancelled { [condition] in condition.withLock { condition.wakeAll() } }
        let (event, action) = condition.withLock { () -> (SensorEvent, (@Sendable () -> Void)?) in
            matchesRunning += 1
            mostMatchesAtOnce = max(mostMatchesAtOnce, matchesRunning)
            condition.wakeAll()
            defer { matchesRunning -= 1 }
            while events.isEmpty {
                if cancellation.isOver, !ignoresCancellation { return (.ended, nil) }
                wait(for: cancellation)
            }
            while outlastsDeadline, !cancellation.isTimedOut {
                wait(for: cancellation)
            }
            return (events.removeFirst(), atMatchEnd)
        }
        action?()
        return event
    }

    func enrol(
        _ finger: Finger, until cancellation: Cancellation, report: (EnrolmentEvent) -> Void
    ) -> EnrolmentEvent {
        cancellation.whenCancelled { [condition] in condition.withLock { condition.wakeAll() } }
        while true {
            let event = condition.withLock { () -> EnrolmentEvent in
                enrolmentsRunning += 1
                condition.wakeAll()
                defer { enrolmentsRunning -= 1 }
                while !cancellation.isOver {
                    if !enrolmentEvents.isEmpty { return enrolmentEvents.removeFirst() }
                    wait(for: cancellation)
                }
                return .ended
            }
            switch event {
            case .stage, .unclear:
                report(event)
            case .completed:
                enroll(finger)
                return event
            case .duplicate, .ended, .failed:
                return event
            }
        }
    }

    func remove(_ finger: Finger?) -> SensorObstacle? {
        if let obstacle { return obstacle }
        change {
            if let finger { fingers[finger] = nil } else { fingers = [:] }
        }
        return nil
    }

    /// Inside of the lock: until something changes, at most until the deadline, so that a test that went wrong ends.
    private func wait(for cancellation: Cancellation) {
        guard let seconds = cancellation.secondsLeft, seconds > 0 else { return condition.wait() }
        _ = condition.wait(until: WaitCondition.Deadline(afterNanoseconds: Int(seconds * 1e9)))
    }
}
