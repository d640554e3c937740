package import LatchkeyEnclaveContract
package import LatchkeyThreading

/// The result of waiting for a touch of the sensor.
package enum SensorEvent: Sendable, Hashable {
    /// Nil if the sensor does not report the finger.
    case matched(Finger?)
    case notMatched
    /// The touch could not be read well enough; it is neither a match nor a miss.
    case unclear(UnclearTouch)
    /// The wait was cancelled, or its deadline passed.
    case ended
    case unavailable(SensorObstacle)
}

/// A fingerprint reader. Its calls block; the enclave runs one match or enrolment at a time.
package protocol BiometricSensor: Sendable {
    /// Returns the state of the sensor. It is called at every evaluation, whenever an item depends on a match or on the
    /// enrolled fingers, and also during a match, so it should take only a few milliseconds.
    func survey() -> SensorSurvey
    /// A number that changes whenever ``survey()`` may return something else, and that is cheaper to read. While it is
    /// unchanged, the enclave reuses the last survey. Nil if the sensor cannot provide it.
    var surveyGeneration: UInt64? { get }
    /// Waits for one touch.
    func match(until cancellation: Cancellation) -> SensorEvent
    /// Enrols a finger; `report` gets every event except the last one, which is returned.
    func enrol(
        _ finger: Finger, until cancellation: Cancellation, report: (EnrolmentEvent) -> Void
    ) -> EnrolmentEvent
    /// Removes a finger; nil removes all. Returns nil on success.
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
