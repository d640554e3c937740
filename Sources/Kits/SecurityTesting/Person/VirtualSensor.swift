import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore

/// A fingerprint reader whose fingers are random templates.
struct VirtualSensor: Sendable {
    private static let templateByteCount = 32

    private let entropy: SeededEntropy
    private var templates: [Finger: [UInt8]] = [:]

    init(entropy: SeededEntropy) {
        self.entropy = entropy
    }

    /// A finger enrolled anew has another template.
    mutating func enrol(_ finger: Finger) {
        var template = [UInt8](repeating: 0, count: Self.templateByteCount)
        unsafe template.withUnsafeMutableBytes { unsafe entropy.fill($0) }
        templates[finger] = template
    }

    /// Nil: all.
    mutating func remove(_ finger: Finger?) {
        if let finger { templates[finger] = nil } else { templates = [:] }
    }

    func event(of finger: Finger) -> SensorEvent {
        templates[finger] == nil ? .notMatched : .matched(finger.atSensor)
    }

    func survey(_ state: SensorState) -> SensorSurvey {
        let fingers = Finger.allCases.filter { templates[$0] != nil }
        let obstacle: SensorObstacle? =
            switch state {
            case .ready: nil
            case .absent: SensorObstacle.none
            case .busy: .busy
            case .unplugged: .disconnected
            case .notPaired: .notPaired
            }
        if state == .absent { return .noSensor }
        return SensorSurvey(
            name: "Virtual-reader", obstacle: obstacle, fingers: fingers.map(\.atSensor), digest: digest(of: fingers),
            seesTemplates: true)
    }

    private func digest(of fingers: [Finger]) -> [UInt8] {
        guard !fingers.isEmpty else { return [] }
        return sha256(fingers.flatMap { Array($0.rawValue.utf8) + [0] + (templates[$0] ?? []) })
    }
}
