package import LatchkeyThreading

/// One touch of the sensor, or why there was none.
package enum SensorEvent: Sendable, Hashable {
    /// Nil if the sensor does not say which.
    case matched(Finger?)
    case notMatched
    /// Not read well enough to judge; it counts as nothing.
    case unclear(UnclearTouch)
    /// The wait was cancelled or its deadline came.
    case ended
    case unavailable(SensorObstacle)
}

/// A fingerprint reader. Calls block; the enclave asks for one match or enrolment at a time.
package protocol BiometricSensor: Sendable {
    /// Asked at every evaluation and whenever an item depends on a match or on the enrolled fingers, also while a touch
    /// is awaited, so it should take no longer than some milliseconds.
    func survey() -> SensorSurvey
    /// Another number whenever ``survey()`` may say something else, cheaper to ask than that: while it stays, the last
    /// survey is taken again. Nil: the sensor cannot tell, and is asked each time.
    var surveyGeneration: UInt64? { get }
    /// Waits for one touch.
    func match(until cancellation: Cancellation) -> SensorEvent
    /// Enrols; `report` gets every event but the last, which is returned.
    func enrol(
        _ finger: Finger, until cancellation: Cancellation, report: (EnrolmentEvent) -> Void
    ) -> EnrolmentEvent
    /// Nil: all. Nil as result: done.
    func remove(_ finger: Finger?) -> SensorObstacle?
}

extension BiometricSensor {
    package var surveyGeneration: UInt64? { nil }
}

/// A machine without a fingerprint reader.
package struct NoSensor: BiometricSensor {
    package init() {}

    package func survey() -> SensorSurvey { .noSensor }

    package func match(until cancellation: Cancellation) -> SensorEvent { .unavailable(.none) }

    package func enrol(
        _ finger: Finger, until cancellation: Cancellation, report: (EnrolmentEvent) -> Void
    ) -> EnrolmentEvent {
        .failed(.none)
    }

    package func remove(_ finger: Finger?) -> SensorObstacle? { SensorObstacle.none }
}
