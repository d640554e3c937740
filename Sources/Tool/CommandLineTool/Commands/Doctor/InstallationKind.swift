package import LatchkeyDevice
import LatchkeyPlainText

/// The kinds of installations of a device, and their promises.
package enum InstallationKind: Sendable {
    /// Daemon and enclave run under users of their own, started by the system.
    case system(SystemInstallation)
    /// Daemon and enclave run as the user.
    case user(DeviceDirectory)
    /// Each program opens the device itself.
    case embedded(DeviceDirectory)
    case none

    package var name: String {
        switch self {
        case .system: "system"
        case .user: "user"
        case .embedded: "embedded"
        case .none: "none"
        }
    }

    package var device: String? {
        switch self {
        case .system(let system): system.device.path
        case .user(let directory), .embedded(let directory): directory.path
        case .none: nil
        }
    }

    package var promise: String {
        switch self {
        case .system:
            "System installation: no program of this user can read the device's files or attack its processes."
        case .user:
            "Per-user installation: protects the files of a locked device; programs of this user can attack it while "
                + "it is unlocked."
        case .embedded:
            "Embedded device: each program opens the files itself. For tests and single programs."
        case .none:
            "There is no device."
        }
    }

    /// The kind behind a location.
    package init(_ location: DeviceLocation, system: SystemInstallation?) {
        switch location {
        case .socket(let path) where path == system?.keychainSocket:
            self = system.map(InstallationKind.system) ?? .none
        case .socket(let path):
            // DEVICE/run/keychain.sock
            let run = PathText.parent(of: path)
            self = .user(DeviceDirectory(path: run.flatMap { PathText.parent(of: $0) } ?? ""))
        case .directory(let path):
            let directory = DeviceDirectory(path: path)
            self = directory.holdsDevice ? .embedded(directory) : .none
        }
    }
}
