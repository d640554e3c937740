package import LatchkeyAccessControl

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
