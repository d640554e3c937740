import LatchkeyAccessControl
import LatchkeySecretMemory

/// The first byte of a request about fingers.
private enum BiometryRequestKind: UInt8 {
    case status = 1
    case beginEnrolment = 2
    case continueEnrolment = 3
    case cancelEnrolment = 4
    case removeFinger = 5
    case unlockWithFinger = 6
    case cancelUnlock = 7
    case lockRemotely = 8
}

/// The first byte of a reply about fingers.
private enum BiometryReplyKind: UInt8 {
    case status = 1
    case enrolment = 2
    case match = 3
    case removalFailed = 4
    case done = 5
}

/// The first byte of what a wait for a finger came to.
private enum MatchOutcomeKind: UInt8 {
    case matched = 1
    case notMatched = 2
    case unclear = 3
    case cancelled = 4
    case timedOut = 5
    case refused = 6
}

/// The first byte of a step of an enrolment.
private enum EnrolmentEventKind: UInt8 {
    case stage = 1
    case unclear = 2
    case completed = 3
    case duplicate = 4
    case ended = 5
    case failed = 6
}

extension EnclaveMessageCodec {
    static func write(_ request: FingerRequest, to writer: inout MessageWriter) {
        func kind(_ kind: BiometryRequestKind) { writer.byte(kind.rawValue) }
        switch request {
        case .status:
            kind(.status)
        case .beginEnrolment(let finger, let passcode):
            kind(.beginEnrolment)
            writer.byte(number(of: finger, in: fingers))
            writer.secret(passcode)
        case .continueEnrolment:
            kind(.continueEnrolment)
        case .cancelEnrolment:
            kind(.cancelEnrolment)
        case .removeFinger(let finger, let passcode):
            kind(.removeFinger)
            write(finger, to: &writer)
            writer.secret(passcode)
        case .unlockWithFinger(let seconds):
            kind(.unlockWithFinger)
            writer.seconds(seconds)
        case .cancelUnlock:
            kind(.cancelUnlock)
        case .lockRemotely:
            kind(.lockRemotely)
        }
    }

    static func readBiometryRequest(
        _ reader: inout MessageReader
    ) throws(EnclaveMessageFailure) -> FingerRequest {
        switch try reader.choice("biometry request", of: BiometryRequestKind.self) {
        case .status: return .status
        case .beginEnrolment:
            let finger = try readMember("finger", of: fingers, &reader)
            return .beginEnrolment(finger, passcode: try reader.secret(passcodeLengths))
        case .continueEnrolment: return .continueEnrolment
        case .cancelEnrolment: return .cancelEnrolment
        case .removeFinger:
            let finger = try readFinger(&reader)
            return .removeFinger(finger, passcode: try reader.secret(passcodeLengths))
        case .unlockWithFinger: return .unlockWithFinger(seconds: try reader.seconds("wait"))
        case .cancelUnlock: return .cancelUnlock
        case .lockRemotely: return .lockRemotely
        }
    }

    static func write(_ reply: FingerReply, to writer: inout MessageWriter) {
        func kind(_ kind: BiometryReplyKind) { writer.byte(kind.rawValue) }
        switch reply {
        case .status(let status):
            kind(.status)
            write(status, to: &writer)
        case .enrolment(let event):
            kind(.enrolment)
            write(event, to: &writer)
        case .match(let outcome):
            kind(.match)
            write(outcome, to: &writer)
        case .removalFailed(let obstacle):
            kind(.removalFailed)
            writer.byte(obstacle.rawValue)
        case .done:
            kind(.done)
        }
    }

    static func readBiometryReply(_ reader: inout MessageReader) throws(EnclaveMessageFailure) -> FingerReply {
        switch try reader.choice("biometry reply", of: BiometryReplyKind.self) {
        case .status: .status(try readBiometryStatus(&reader))
        case .enrolment: .enrolment(try readEnrolmentEvent(&reader))
        case .match: .match(try readOutcome(&reader))
        case .removalFailed: .removalFailed(try reader.choice("obstacle", of: SensorObstacle.self))
        case .done: .done
        }
    }

    static func write(_ outcome: MatchOutcome, to writer: inout MessageWriter) {
        func kind(_ kind: MatchOutcomeKind) { writer.byte(kind.rawValue) }
        switch outcome {
        case .matched(let finger):
            kind(.matched)
            write(finger, to: &writer)
        case .notMatched(let missesLeft):
            kind(.notMatched)
            writer.byte(UInt8(clamping: missesLeft))
        case .unclear(let touch):
            kind(.unclear)
            writer.byte(touch.rawValue)
        case .cancelled:
            kind(.cancelled)
        case .timedOut:
            kind(.timedOut)
        case .refused(let rule):
            kind(.refused)
            writer.byte(number(of: rule, in: rules))
        }
    }

    static func readOutcome(_ reader: inout MessageReader) throws(EnclaveMessageFailure) -> MatchOutcome {
        switch try reader.choice("match", of: MatchOutcomeKind.self) {
        case .matched: .matched(try readFinger(&reader))
        case .notMatched: .notMatched(missesLeft: Int(try reader.byte()))
        case .unclear: .unclear(try reader.choice("touch", of: UnclearTouch.self))
        case .cancelled: .cancelled
        case .timedOut: .timedOut
        case .refused: .refused(try readRule(&reader))
        }
    }

    private static func write(_ event: EnrolmentEvent, to writer: inout MessageWriter) {
        func kind(_ kind: EnrolmentEventKind) { writer.byte(kind.rawValue) }
        switch event {
        case .stage(let done, let total):
            kind(.stage)
            writer.byte(UInt8(clamping: done))
            writer.byte(UInt8(clamping: total))
        case .unclear(let touch):
            kind(.unclear)
            writer.byte(touch.rawValue)
        case .completed:
            kind(.completed)
        case .duplicate:
            kind(.duplicate)
        case .ended:
            kind(.ended)
        case .failed(let obstacle):
            kind(.failed)
            writer.byte(obstacle.rawValue)
        }
    }

    private static func readEnrolmentEvent(
        _ reader: inout MessageReader
    ) throws(EnclaveMessageFailure) -> EnrolmentEvent {
        switch try reader.choice("enrolment event", of: EnrolmentEventKind.self) {
        case .stage:
            let done = Int(try reader.byte())
            return .stage(done: done, total: Int(try reader.byte()))
        case .unclear: return .unclear(try reader.choice("touch", of: UnclearTouch.self))
        case .completed: return .completed
        case .duplicate: return .duplicate
        case .ended: return .ended
        case .failed: return .failed(try reader.choice("obstacle", of: SensorObstacle.self))
        }
    }

    private static func write(_ status: BiometryStatus, to writer: inout MessageWriter) {
        let survey = status.survey
        writer.text(survey.name)
        writer.optional(survey.obstacle) { $0.byte($1.rawValue) }
        writer.count(survey.fingers.count)
        for finger in survey.fingers { writer.byte(number(of: finger, in: fingers)) }
        writer.bytes(Array(survey.digest.prefix(sensorDigestByteCount)))
        writer.flag(survey.seesTemplates)
        writer.optional(status.obstacle) { $0.byte(number(of: $1, in: rules)) }
        writer.optional(status.enrolmentSet) { $0.bytes($1.bytes) }
        writer.byte(UInt8(clamping: status.missesLeft))
    }

    private static func readBiometryStatus(
        _ reader: inout MessageReader
    ) throws(EnclaveMessageFailure) -> BiometryStatus {
        let name = try reader.text("sensor")
        let obstacle = try reader.optional("obstacle") { reader throws(EnclaveMessageFailure) in
            try reader.choice("obstacle", of: SensorObstacle.self)
        }
        let count = try reader.count("fingers", limit: fingers.count)
        var found: [Finger] = []
        for _ in 0..<count { found.append(try readMember("finger", of: fingers, &reader)) }
        let survey = SensorSurvey(
            name: name, obstacle: obstacle, fingers: found,
            digest: try reader.bytes("digest", limit: sensorDigestByteCount),
            seesTemplates: try reader.flag("sees templates"))
        let rule = try reader.optional("rule") { reader throws(EnclaveMessageFailure) in try readRule(&reader) }
        let set = try reader.optional("enrolment set") { reader throws(EnclaveMessageFailure) in
            try readSet(&reader)
        }
        return BiometryStatus(survey: survey, obstacle: rule, enrolmentSet: set, missesLeft: Int(try reader.byte()))
    }

    private static func readSet(_ reader: inout MessageReader) throws(EnclaveMessageFailure) -> EnrolmentSet {
        let bytes = try reader.bytes("enrolment set", limit: EnrolmentSet.byteCount)
        guard let set = EnrolmentSet(bytes) else {
            throw .badValue(field: "enrolment set", found: UInt64(bytes.count))
        }
        return set
    }
}
