import CryptoSuite
import EnclaveCore
import Foundation
package import KeychainMessages
import PeerIdentity

/// Where a device is: behind a daemon's socket, or in a directory that this process opens itself.
package enum DeviceLocation: Sendable, Hashable {
    case socket(path: String)
    case directory(path: String)

    /// `LATCHKEY_DEVICE`, else the user's running daemon, else an embedded device in the user's data directory.
    package static func ofThisProcess(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(DeviceFailure) -> DeviceLocation {
        if let named = environment["LATCHKEY_DEVICE"], !named.isEmpty { return try DeviceLocation(named) }
        let directory = try userDirectory(environment: environment)
        let socket = DeviceDirectory(path: directory).keychainSocket
        return FileManager.default.fileExists(atPath: socket) ? .socket(path: socket) : .directory(path: directory)
    }

    /// `unix:SOCKET` or `dir:PATH`.
    package init(_ text: String) throws(DeviceFailure) {
        if text.hasPrefix("unix:"), text.count > 5 {
            self = .socket(path: String(text.dropFirst(5)))
        } else if text.hasPrefix("dir:"), text.count > 4 {
            self = .directory(path: String(text.dropFirst(4)))
        } else {
            throw DeviceFailure(
                .badLocation,
                "LATCHKEY_DEVICE is \"\(text)\", which names no device. Write unix:SOCKET for a daemon or dir:PATH "
                    + "for a directory, or unset it.")
        }
    }

    /// The directory of the user's own device: `$XDG_DATA_HOME/latchkey/device`.
    package static func userDirectory(environment: [String: String]) throws(DeviceFailure) -> String {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/latchkey/device" }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw DeviceFailure(
                .badLocation,
                "Neither XDG_DATA_HOME nor HOME is set, so the user has no device. Set one of them, "
                    + "or name a device in LATCHKEY_DEVICE.")
        }
        return home + "/.local/share/latchkey/device"
    }

    /// The keychain there, for this process as the caller.
    package func keychain() throws(DeviceFailure) -> any Keychain {
        switch self {
        case .socket(let path):
            return RemoteKeychain(socketPath: path, declaredCaller: nil)
        case .directory(let path):
            let device = try EmbeddedDevice(
                directory: path, clock: SystemClock(), entropy: SystemEntropy(), passcodeCost: .calibrated,
                followsTime: true)
            return device.keychain(for: try Self.callerOfThisProcess())
        }
    }

    private static func callerOfThisProcess() throws(DeviceFailure) -> Caller {
        do {
            let identity = try PeerIdentity.ofThisProcess()
            return Caller(name: identity.displayName, accessGroups: [identity.privateAccessGroup])
        } catch {
            throw DeviceFailure(.badLocation, "This process cannot tell its own executable: \(error).")
        }
    }
}
