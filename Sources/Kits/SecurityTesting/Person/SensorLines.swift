import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEncoding

/// The messages of the virtual sensor over its socket, a line for each event.
enum SensorLines {
    /// `survey NAME OBSTACLE FINGERS DIGEST`, `-` for nothing.
    static func text(_ survey: SensorSurvey) -> String {
        let fingers = survey.fingers.map(\.rawValue).joined(separator: ",")
        let words = [
            survey.name.replacing(" ", with: "-"), survey.obstacle.map(name(of:)) ?? "", fingers,
            Hexadecimal.text(survey.digest),
        ]
        return "survey " + words.map { $0.isEmpty ? "-" : $0 }.joined(separator: " ")
    }

    static func text(_ event: SensorEvent) -> String {
        switch event {
        case .matched(let finger): "matched \(finger?.rawValue ?? "-")"
        case .notMatched: "notMatched"
        case .unclear(let touch): "unclear \(touch.rawValue)"
        case .ended: "ended"
        case .unavailable(let obstacle): "unavailable \(name(of: obstacle))"
        }
    }

    static func text(_ event: EnrolmentEvent) -> String {
        switch event {
        case .stage(let done, let total): "stage \(done) \(total)"
        case .unclear(let touch): "unclear \(touch.rawValue)"
        case .completed: "completed"
        case .duplicate: "duplicate"
        case .ended: "ended"
        case .failed(let obstacle): "failed \(name(of: obstacle))"
        }
    }

    static func name(of obstacle: SensorObstacle) -> String {
        switch obstacle {
        case .none: "none"
        case .noService: "noService"
        case .notPermitted: "notPermitted"
        case .busy: "busy"
        case .disconnected: "disconnected"
        case .notPaired: "notPaired"
        case .failed: "failed"
        }
    }
}
