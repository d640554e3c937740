import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEncoding

/// The lines that ``LineSensor`` receives. Its functions return nil for an unknown line.
enum SensorLine {
    /// survey NAME OBSTACLE FINGERS DIGEST
    static func survey(_ line: String) -> SensorSurvey? {
        let words = line.split(separator: " ")
        guard words.count == 5, words[0] == "survey" else { return nil }
        var survey = SensorSurvey(name: String(words[1]), seesTemplates: true)
        if words[2] != "-" {
            guard let found = obstacle(words[2]) else { return nil }
            survey.obstacle = found
        }
        if words[3] != "-" {
            let fingers = words[3].split(separator: ",").map { Finger(rawValue: String($0)) }
            guard !fingers.contains(nil) else { return nil }
            survey.fingers = fingers.compactMap { $0 }
        }
        if words[4] != "-" {
            guard let digest = Hexadecimal.bytes(from: words[4].utf8) else { return nil }
            survey.digest = digest
        }
        return survey
    }

    static func match(_ line: String) -> SensorEvent? {
        let words = line.split(separator: " ")
        switch (words.first, words.count) {
        case ("matched", 2):
            if words[1] == "-" { return .matched(nil) }
            return Finger(rawValue: String(words[1])).map { .matched($0) }
        case ("notMatched", 1): return .notMatched
        case ("ended", 1): return .ended
        case ("unclear", 2): return touch(words[1]).map { .unclear($0) }
        case ("unavailable", 2): return obstacle(words[1]).map { .unavailable($0) }
        default: return nil
        }
    }

    static func enrolment(_ line: String) -> EnrolmentEvent? {
        let words = line.split(separator: " ")
        switch (words.first, words.count) {
        case ("stage", 3):
            guard let done = Int(words[1]), let total = Int(words[2]), done >= 0, total >= 0 else { return nil }
            return .stage(done: done, total: total)
        case ("unclear", 2): return touch(words[1]).map { .unclear($0) }
        case ("completed", 1): return .completed
        case ("duplicate", 1): return .duplicate
        case ("ended", 1): return .ended
        case ("failed", 2): return obstacle(words[1]).map { .failed($0) }
        default: return nil
        }
    }

    static func obstacle(_ word: Substring) -> SensorObstacle? {
        switch word {
        case "none": SensorObstacle.none
        case "noService": .noService
        case "notPermitted": .notPermitted
        case "busy": .busy
        case "disconnected": .disconnected
        case "notPaired": .notPaired
        case "failed": .failed
        default: nil
        }
    }

    private static func touch(_ word: Substring) -> UnclearTouch? { UInt8(word).flatMap(UnclearTouch.init) }
}
