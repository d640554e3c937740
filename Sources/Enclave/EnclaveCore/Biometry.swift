package import LatchkeyAccessControl
package import LatchkeySecretMemory
package import LatchkeyThreading

/// A finger, by its name at the sensor.
package enum Finger: String, Sendable, Hashable, CaseIterable {
    case leftThumb = "left-thumb"
    case leftIndex = "left-index-finger"
    case leftMiddle = "left-middle-finger"
    case leftRing = "left-ring-finger"
    case leftLittle = "left-little-finger"
    case rightThumb = "right-thumb"
    case rightIndex = "right-index-finger"
    case rightMiddle = "right-middle-finger"
    case rightRing = "right-ring-finger"
    case rightLittle = "right-little-finger"
}

/// Why a sensor cannot be used now.
package enum SensorObstacle: UInt8, Error, Sendable, Hashable, CaseIterable {
    /// No reader.
    case none = 1
    /// The service does not let this process use the reader.
    case notPermitted = 2
    /// Somebody else, such as the login screen, has claimed the reader.
    case busy = 3
    /// Unplugged, or the service went away in the middle.
    case disconnected = 4
    case notPaired = 5
    case failed = 6
    /// No service that drives readers: fprintd is not installed, or there is no system bus.
    case noService = 7

    /// Whether there is no reader as far as can be seen.
    package var isAbsence: Bool { self == .none || self == .noService }
}

extension SensorObstacle {
    /// The obstacle as a rule that refuses an evaluation.
    package var rule: VerdictRule {
        switch self {
        case .disconnected: .biometryDisconnected
        case .notPaired: .biometryNotPaired
        case .none, .noService, .notPermitted, .busy, .failed: .biometryNotAvailable
        }
    }
}

/// What a sensor says of itself.
package struct SensorSurvey: Sendable, Hashable {
    /// For people; empty if there is none.
    package var name: String
    package var obstacle: SensorObstacle?
    package var fingers: [Finger]
    /// Changes with every enrolment that the sensor can tell apart: over the fingers and, where they can be read, their
    /// templates. Empty where nothing is enrolled.
    package var digest: [UInt8]
    /// False where only the list of fingers is known: a finger enrolled anew under its old name is then not noticed.
    package var seesTemplates: Bool

    package init(
        name: String, obstacle: SensorObstacle? = nil, fingers: [Finger] = [], digest: [UInt8] = [],
        seesTemplates: Bool = false
    ) {
        self.name = name
        self.obstacle = obstacle
        self.fingers = fingers
        self.digest = digest
        self.seesTemplates = seesTemplates
    }

    /// Why no finger can be read now, as a rule; nil if one can.
    package var rule: VerdictRule? { obstacle?.rule }

    package static let noSensor = SensorSurvey(name: "", obstacle: SensorObstacle.none)
    package static let noService = SensorSurvey(name: "", obstacle: .noService)
}

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

package enum UnclearTouch: UInt8, Sendable, Hashable, CaseIterable {
    case again = 1
    case tooShort = 2
    case notCentered = 3
    case removeFinger = 4
}

package enum EnrolmentEvent: Sendable, Hashable {
    /// `total` is 0 where the sensor does not know.
    case stage(done: Int, total: Int)
    case unclear(UnclearTouch)
    case completed
    /// This finger is enrolled already, perhaps under another name.
    case duplicate
    case ended
    case failed(SensorObstacle)
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

/// Biometry as the device sees it.
package struct BiometryStatus: Sendable, Hashable {
    package var survey: SensorSurvey
    /// Why no finger counts now; nil if one does.
    package var obstacle: VerdictRule?
    /// Nil where nothing is enrolled.
    package var enrolmentSet: EnrolmentSet?
    /// Misses until the passcode must be given.
    package var missesLeft: Int

    package init(survey: SensorSurvey, obstacle: VerdictRule?, enrolmentSet: EnrolmentSet?, missesLeft: Int) {
        self.survey = survey
        self.obstacle = obstacle
        self.enrolmentSet = enrolmentSet
        self.missesLeft = missesLeft
    }
}

/// What the owner does with fingers.
package enum BiometryRequest: Sendable {
    case status
    /// Needs the passcode, which counts as a try. Ends an enrolment that is under way.
    case beginEnrolment(Finger, passcode: SecretBox)
    /// Answers with the next event. Blocks until a touch, at most some seconds (then `.stage` repeats).
    case continueEnrolment
    case cancelEnrolment
    /// Nil: all fingers.
    case removeFinger(Finger?, passcode: SecretBox)
    /// Waits for a finger, at most as many seconds, and unlocks the device.
    case unlockWithFinger(seconds: Double)
    case cancelUnlock
    /// Locks at once, and lets nobody in without the passcode.
    case lockRemotely
}

package enum BiometryReply: Sendable, Hashable {
    case status(BiometryStatus)
    case enrolment(EnrolmentEvent)
    case match(MatchOutcome)
    case removalFailed(SensorObstacle)
    case done
}
