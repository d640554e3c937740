package import LatchkeyAccessControl
package import LatchkeySecretMemory

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

/// The owner's acts on fingers.
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
