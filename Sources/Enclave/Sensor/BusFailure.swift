import LatchkeyEnclaveCore

/// Why a message bus gave no answer.
enum BusFailure: Error, Sendable, Equatable {
    /// There is no bus, or it is not the system's.
    case noBus
    /// The connection broke.
    case lost
    /// The answer did not come in time.
    case noAnswer
    /// Cancelled, or past the deadline of whoever waits.
    case ended
    /// The service answered with the error of this name.
    case refused(String)
    /// An answer of another shape than the interface has.
    case malformed
}

extension BusFailure {
    static let fprintErrors = "net.reactivated.Fprint.Error."

    var isBusy: Bool { self == .refused(Self.fprintErrors + "AlreadyInUse") }

    var hasNoPrints: Bool { self == .refused(Self.fprintErrors + "NoEnrolledPrints") }

    /// What it says of the reader; nil if the wait ended, which says nothing of it.
    var obstacle: SensorObstacle? {
        switch self {
        case .ended: nil
        case .noBus: .noService
        case .lost: .disconnected
        case .noAnswer, .malformed: .failed
        case .refused(let name): Self.obstacle(of: name)
        }
    }

    /// - Parameter hadReader: what is not there any more was there before.
    func obstacle(hadReader: Bool) -> SensorObstacle? {
        let found = obstacle
        return hadReader && found?.isAbsence == true ? .disconnected : found
    }

    private static func obstacle(of error: String) -> SensorObstacle {
        switch error {
        case fprintErrors + "PermissionDenied", "org.freedesktop.DBus.Error.AccessDenied",
            "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired":
            .notPermitted
        case fprintErrors + "AlreadyInUse": .busy
        case fprintErrors + "NoSuchDevice": .none
        // Nobody has that name, and nobody can be started for it.
        case "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.ServiceUnknown",
            "org.freedesktop.systemd1.NoSuchUnit", "org.freedesktop.systemd1.UnitMasked":
            .noService
        // What was asked went away while it was asked.
        case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.UnknownObject",
            "org.freedesktop.DBus.Error.UnknownMethod":
            .disconnected
        default: .failed
        }
    }
}
