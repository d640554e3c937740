package import LatchkeyEnclaveCore
package import LatchkeySecretMemory

/// The owner's acts on fingers: questions of the enclave, passed on.
package enum BiometryRequest: Sendable {
    case status
    case beginEnrolment(Finger, passcode: SecretBox)
    case continueEnrolment
    case cancelEnrolment
    /// Nil: all fingers.
    case removeFinger(Finger?, passcode: SecretBox)
    case unlockWithFinger(seconds: Double)
    case cancelUnlock
    case lockRemotely

    package var enclaveQuestion: any EnclaveQuestion {
        switch self {
        case .status: AskBiometry()
        case .beginEnrolment(let finger, let passcode): BeginEnrolment(of: finger, passcode: passcode)
        case .continueEnrolment: ContinueEnrolment()
        case .cancelEnrolment: CancelEnrolment()
        case .removeFinger(let finger, let passcode): RemoveFinger(finger, passcode: passcode)
        case .unlockWithFinger(let seconds): UnlockWithFinger(seconds: seconds)
        case .cancelUnlock: CancelUnlock()
        case .lockRemotely: LockRemotely()
        }
    }

    /// Nil for a question about something else.
    init?(_ question: any EnclaveQuestion) {
        switch question {
        case is AskBiometry: self = .status
        case let question as BeginEnrolment: self = .beginEnrolment(question.finger, passcode: question.passcode)
        case is ContinueEnrolment: self = .continueEnrolment
        case is CancelEnrolment: self = .cancelEnrolment
        case let question as RemoveFinger: self = .removeFinger(question.finger, passcode: question.passcode)
        case let question as UnlockWithFinger: self = .unlockWithFinger(seconds: question.seconds)
        case is CancelUnlock: self = .cancelUnlock
        case is LockRemotely: self = .lockRemotely
        default: return nil
        }
    }
}

package enum BiometryReply: Sendable, Hashable {
    case status(BiometryStatus)
    case enrolment(EnrolmentEvent)
    case match(MatchOutcome)
    case removalFailed(SensorObstacle)
    case done

    /// Nil for the answer to another question.
    package init?(_ answer: any EnclaveAnswer) {
        switch answer {
        case let status as BiometryStatus: self = .status(status)
        case let event as EnrolmentEvent: self = .enrolment(event)
        case let outcome as MatchOutcome: self = .match(outcome)
        case FingerRemoval.failed(let obstacle) as FingerRemoval: self = .removalFailed(obstacle)
        case is FingerRemoval, is FingersDone: self = .done
        default: return nil
        }
    }
}

/// Passed on with the enclave's own bytes.
extension BiometryReply: EnclaveAnswer {
    private var passedOn: any EnclaveAnswer {
        switch self {
        case .status(let status): status
        case .enrolment(let event): event
        case .match(let outcome): outcome
        case .removalFailed(let obstacle): FingerRemoval.failed(obstacle)
        case .done: FingersDone()
        }
    }

    package var number: MessageNumber { passedOn.number }

    package func write(to writer: inout MessageWriter) {
        passedOn.write(to: &writer)
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        if let status = try BiometryStatus(number, from: &reader) {
            self = .status(status)
        } else if let event = try EnrolmentEvent(number, from: &reader) {
            self = .enrolment(event)
        } else if let outcome = try MatchOutcome(number, from: &reader) {
            self = .match(outcome)
        } else {
            switch try FingerRemoval(number, from: &reader) {
            case .removed?: self = .done
            case .failed(let obstacle)?: self = .removalFailed(obstacle)
            case nil: return nil
            }
        }
    }
}
