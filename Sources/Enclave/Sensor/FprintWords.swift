import LatchkeyEnclaveContract
import LatchkeyEnclaveCore

/// The meaning of fprintd's words for a verification.
enum VerificationWord: Equatable {
    case event(SensorEvent)
    /// The driver gave up; it may have been unplugged.
    case broken

    init(_ word: String) {
        self =
            switch word {
            case "verify-match": .event(.matched(nil))
            case "verify-no-match": .event(.notMatched)
            // Only newer versions report "too fast".
            case "verify-retry-scan", "verify-too-fast": .event(.unclear(.again))
            case "verify-swipe-too-short": .event(.unclear(.tooShort))
            case "verify-finger-not-centered": .event(.unclear(.notCentered))
            case "verify-remove-and-retry": .event(.unclear(.removeFinger))
            case "verify-disconnected": .event(.unavailable(.disconnected))
            default: .broken
            }
    }
}

/// The meaning of fprintd's words for an enrolment.
enum EnrolmentWord: Equatable {
    case stagePassed
    case unclear(UnclearTouch)
    case last(EnrolmentEvent)
    /// The driver gave up; it may have been unplugged.
    case broken

    init(_ word: String) {
        self =
            switch word {
            case "enroll-stage-passed": .stagePassed
            case "enroll-retry-scan", "enroll-too-fast": .unclear(.again)
            case "enroll-swipe-too-short": .unclear(.tooShort)
            case "enroll-finger-not-centered": .unclear(.notCentered)
            case "enroll-remove-and-retry": .unclear(.removeFinger)
            case "enroll-completed": .last(.completed)
            case "enroll-duplicate": .last(.duplicate)
            case "enroll-disconnected": .last(.failed(.disconnected))
            // The reader read the finger and rejected it, or has no room: the reader works.
            case "enroll-failed", "enroll-data-full": .last(.failed(.failed))
            default: .broken
            }
    }
}
