import LatchkeyEnclaveContract

/// The reason why a message bus gave no reply.
enum BusFailure: Error, Sendable, Equatable {
    /// There is no bus, or it is not the system's.
    case noBus
    /// The connection broke.
    case lost
    /// The reply did not come in time.
    case noAnswer
    /// Cancelled, or past the caller's deadline.
    case ended
    /// The service replied with the error of this name.
    case refused(String)
    /// The reply does not have the form of the interface.
    case malformed
}

extension BusFailure {
    static let fprintErrors = "net.reactivated.Fprint.Error."

    var isBusy: Bool { self == .refused(Self.fprintErrors + "AlreadyInUse") }

    var hasNoPrints: Bool { self == .refused(Self.fprintErrors + "NoEnrolledPrints") }

    /// The resulting obstacle of the reader; nil if the wait ended, which says nothing about it.
    var obstacle: SensorObstacle? {
        switch self {
        case .ended: nil
        case .noBus: .noService
        case .lost: .disconnected
        case .noAnswer, .malformed: .failed
        case .refused(let name): Self.obstacle(of: name)
        }
    }

    /// - Parameter hadReader: true if the reader was present before.
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
        // The name has no owner, and there is no service to start for it.
        case "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.ServiceUnknown",
            "org.freedesktop.systemd1.NoSuchUnit", "org.freedesktop.systemd1.UnitMasked":
            .noService
        // The object disappeared during the call.
        case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.UnknownObject",
            "org.freedesktop.DBus.Error.UnknownMethod":
            .disconnected
        default: .failed
        }
    }
}
