package import LatchkeySecretMemory

/// The owner's acts on fingers.
package enum FingerRequest: Sendable {
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

package enum FingerReply: Sendable, Hashable {
    case status(BiometryStatus)
    case enrolment(EnrolmentEvent)
    case match(MatchOutcome)
    case removalFailed(SensorObstacle)
    case done
}
