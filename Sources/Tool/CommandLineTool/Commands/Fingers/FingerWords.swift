package import LatchkeyAccessControl
package import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyPlainText

/// Texts about events and failures of the fingerprint reader, for people.
package enum FingerWords {
    /// Nil for the last event of an enrolment.
    package static func progress(_ event: EnrolmentEvent) -> String? {
        switch event {
        case .stage(let done, let total):
            total > 0 ? "Touch the reader: \(min(done + 1, total)) of \(total)" : "Touch the reader: touch \(done + 1)"
        case .unclear(let touch): hint(touch)
        case .completed, .duplicate, .ended, .failed: nil
        }
    }

    package static func hint(_ touch: UnclearTouch) -> String {
        switch touch {
        case .again: "That was not clear. Touch it again."
        case .tooShort: "That was too short. Leave the finger on the reader a little longer."
        case .notCentered: "The finger was not in the middle of the reader. Touch it again."
        case .removeFinger: "Take the finger off, then touch the reader again."
        }
    }

    /// An enrolment that ended otherwise than it should.
    package static func failure(_ event: EnrolmentEvent) -> CommandFailure {
        switch event {
        case .duplicate:
            CommandFailure(
                .enrolmentFailed, "No finger was enrolled.", why: "This finger is enrolled already.",
                advice: "`latchkey finger list` shows what is enrolled. Take another finger, or remove that one first.")
        case .failed(let obstacle):
            CommandFailure(
                .enrolmentFailed, "No finger was enrolled.", why: text(obstacle), advice: advice(obstacle))
        case .ended, .stage, .unclear, .completed:
            CommandFailure(
                .enrolmentFailed, "No finger was enrolled.",
                why: "The enrolment ended: the reader was not touched, or another enrolment began.",
                advice: "Run the command again.")
        }
    }

    /// A wait for a finger that a rule of the device ends.
    ///
    /// - Parameter reader: what keeps the reader from being used, if anything does.
    package static func failure(_ rule: VerdictRule, reader: SensorObstacle? = nil) -> CommandFailure {
        CommandFailure(
            .biometryUnavailable, "No finger counts now.", why: text(rule, reader),
            advice: rule == .biometryNotEnrolled
                ? "`latchkey finger enroll FINGER` enrolls one." : "The passcode does: `latchkey unlock`.")
    }

    /// The rule as a sentence; of a reader that cannot be used, what keeps it from that.
    package static func text(_ rule: VerdictRule, _ reader: SensorObstacle?) -> String {
        if rule == .biometryNotAvailable, let reader { return text(reader) }
        return text(rule)
    }

    package static func text(_ rule: VerdictRule) -> String {
        switch rule {
        case .passcodeNotSet: "No passcode is set; fingers count beside one only."
        case .biometryNotAvailable: "There is no fingerprint reader, or it cannot be used now."
        case .biometryNotEnrolled: "No finger is enrolled."
        case .biometryLockedOut:
            "The passcode has to be given first: after five misses, after a start, after a lock that asks for it, "
                + "and after a long time without it."
        case .biometryDisconnected: "The fingerprint reader is gone."
        case .biometryNotPaired: "The fingerprint reader is not paired with this machine."
        case .enrolmentChanged: "What is enrolled has changed since."
        case .classKeyLocked, .classKeyMissing, .operationNotGranted, .companionNotAvailable:
            "The rule \(Rule(rule).rawValue) of the device refuses it."
        }
    }

    /// A device in the process that uses it does not look for a reader.
    static let noDaemon = "used by a daemon only, and none runs (latchkey start)"

    package static func text(_ obstacle: SensorObstacle) -> String {
        switch obstacle {
        case .none: "There is no fingerprint reader."
        case .noService: "There is no fprintd, which drives fingerprint readers."
        case .notPermitted: "fprintd does not let the device use the reader."
        case .busy: "Another program has the reader, for instance the login screen."
        case .disconnected: "The reader was unplugged, or fprintd ended."
        case .notPaired: "The reader is not paired with this machine."
        case .failed: "The reader reported a failure."
        }
    }

    package static func advice(_ obstacle: SensorObstacle) -> String? {
        switch obstacle {
        case .none: "Attach a reader that fprintd knows: Docs/Manual/Fingerprints.md."
        case .noService: "Install fprintd, and attach a reader that it knows: Docs/Manual/Fingerprints.md."
        case .notPermitted: "Let it, as Docs/Manual/Fingerprints.md says."
        case .busy: "Try again when the other program is done."
        case .disconnected: "Plug it in, then try again."
        case .notPaired: nil
        case .failed: "Try again."
        }
    }

    package static func reader(_ status: BiometryStatus) -> String {
        if let obstacle = status.survey.obstacle {
            let name = status.survey.name.isEmpty ? "" : PlainText.escaped(status.survey.name) + ": "
            return name + text(obstacle)
        }
        return status.survey.name.isEmpty ? "there is one" : PlainText.escaped(status.survey.name)
    }

    /// Says if a finger counts now, and if not, why.
    package static func state(_ status: BiometryStatus) -> String {
        if let rule = status.obstacle { return "no finger counts now. " + text(rule, status.survey.obstacle) }
        let left = status.missesLeft
        return "a finger counts"
            + (left < 5 ? "; the passcode comes first after " + ItemCount.text(left, "more miss", "more misses") : "")
    }

    /// One line of `latchkey status`.
    package static func summary(_ status: BiometryStatus) -> String {
        if let obstacle = status.survey.obstacle { return text(obstacle) }
        let count = status.survey.fingers.count
        let fingers = count == 0 ? "no finger" : ItemCount.text(count, "finger")
        return "\(reader(status)), \(fingers) enrolled" + (count == 0 ? "" : "; \(state(status))")
    }

    package static func json(_ status: BiometryStatus) -> JSONValue {
        .object([
            ("reader", status.survey.name.isEmpty ? .null : .string(status.survey.name)),
            ("readerObstacle", status.survey.obstacle.map { .string("\($0)") } ?? .null),
            ("fingers", .array(status.survey.fingers.map { .string($0.rawValue) })),
            ("obstacle", status.obstacle.map { .string(Rule($0).rawValue) } ?? .null),
            ("missesLeft", .integer(Int64(status.missesLeft))),
            ("noticesReenrolment", .boolean(status.survey.seesTemplates)),
        ])
    }
}
