package import LatchkeyAccessControl

/// The reason why a sensor cannot be used now.
package enum SensorObstacle: UInt8, Error, Sendable, Hashable, CaseIterable {
    /// There is no reader.
    case none = 1
    /// The service does not permit this process to use the reader.
    case notPermitted = 2
    /// Another process, such as the login screen, has claimed the reader.
    case busy = 3
    /// The reader was unplugged, or the service ended during an operation.
    case disconnected = 4
    case notPaired = 5
    case failed = 6
    /// There is no service for readers: fprintd is not installed, or there is no system bus.
    case noService = 7

    /// True if there is no reader as far as this process can see.
    package var isAbsence: Bool { self == .none || self == .noService }
}

extension SensorObstacle {
    /// The rule by which the obstacle refuses an evaluation.
    package var rule: VerdictRule {
        switch self {
        case .disconnected: .biometryDisconnected
        case .notPaired: .biometryNotPaired
        case .none, .noService, .notPermitted, .busy, .failed: .biometryNotAvailable
        }
    }
}

/// The state of a sensor, as it reports it.
package struct SensorSurvey: Sendable, Hashable {
    /// A name for people; empty if there is none.
    package var name: String
    package var obstacle: SensorObstacle?
    package var fingers: [Finger]
    /// A value that changes with every enrolment that the sensor can distinguish: it covers the fingers and, if
    /// readable, their templates. Empty if nothing is enrolled.
    package var digest: [UInt8]
    /// False if only the list of fingers can be read. A finger that is enrolled again under its old name is then not
    /// noticed.
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

    /// The rule that says why fingers cannot be read now; nil if they can.
    package var rule: VerdictRule? { obstacle?.rule }

    package static let noSensor = SensorSurvey(name: "", obstacle: SensorObstacle.none)
    package static let noService = SensorSurvey(name: "", obstacle: .noService)
}
