import Foundation
import Glibc
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemModel
package import LatchkeyKeychainMessages
import LatchkeyPeerIdentity
import LatchkeyPlainText

/// Where a device is: behind a daemon's socket, or in a directory that this process opens itself.
package enum DeviceLocation: Sendable, Hashable {
    case socket(path: String)
    case directory(path: String)

    /// `LATCHKEY_DEVICE`, else the user's device of the system installation, else the user's running daemon, else the
    /// device in the user's data directory, which need not exist yet.
    ///
    /// If there is a device of the system installation, one in the user's directory is used only if it is named: with
    /// two devices of which now one and now the other answers, a user would lose items.
    ///
    /// A setgid program ignores the environment, because its user could name a false device for it to fill: it uses the
    /// system's device or none. Root's environment is root's.
    ///
    /// - Parameter isSetgid: whether this process has a group that its user has not given it.
    package static func ofThisProcess(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        system: SystemInstallation? = ofThisUser, isSetgid: Bool = thisProcessIsSetgid
    ) throws(DeviceFailure) -> DeviceLocation {
        let systemSocket = system.flatMap { exists($0.keychainSocket) ? $0.keychainSocket : nil }
        if isSetgid {
            guard let systemSocket else {
                throw DeviceFailure(
                    .badLocation,
                    "A setgid program uses the system's device alone, and \(system?.owner ?? "this user") has none. "
                        + "As root, make one with: latchkey-setup --owner \(system?.owner ?? "USER")")
            }
            return .socket(path: systemSocket)
        }
        if let named = environment["LATCHKEY_DEVICE"], !named.isEmpty { return try DeviceLocation(named) }
        if let systemSocket { return .socket(path: systemSocket) }
        let own = DeviceDirectory(path: try userDirectory(environment: environment))
        return exists(own.keychainSocket) ? .socket(path: own.keychainSocket) : .directory(path: own.path)
    }

    /// The device in the user's data directory, where it exists and this process uses the system's device instead.
    package static func secondDevice(
        environment: [String: String] = ProcessInfo.processInfo.environment, system: SystemInstallation? = ofThisUser
    ) -> DeviceDirectory? {
        guard environment["LATCHKEY_DEVICE"]?.isEmpty ?? true, let system, exists(system.keychainSocket),
            let path = try? userDirectory(environment: environment)
        else { return nil }
        let own = DeviceDirectory(path: path)
        return own.holdsDevice ? own : nil
    }

    package static var thisProcessIsSetgid: Bool { getegid() != getgid() && getuid() != 0 }

    /// The system installation for the user of this process.
    package static var ofThisUser: SystemInstallation? {
        Account.userName(geteuid()).map { SystemInstallation(owner: $0) }
    }

    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
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
        if let data = environment["XDG_DATA_HOME"], PathText.isAbsolute(data) { return data + "/latchkey/device" }
        guard let home = environment["HOME"], PathText.isAbsolute(home) else {
            throw DeviceFailure(
                .badLocation,
                "Neither XDG_DATA_HOME nor HOME is set, so the user has no device. Set one of them, "
                    + "or name a device in LATCHKEY_DEVICE.")
        }
        return home + "/.local/share/latchkey/device"
    }

    /// The directories of signatures that are in no program, as the device there reads them.
    package var signatureDirectories: [String] {
        switch self {
        // The daemon's socket lies in its device.
        case .socket(let path):
            DeviceDirectory(path: PathText.directory(of: PathText.directory(of: path))).signatureDirectories
        case .directory(let path): DeviceDirectory(path: path).signatureDirectories
        }
    }

    /// The keychain there, for this process as the caller.
    ///
    /// - Parameters:
    ///   - prompt: prompts the user if the device is in this process; a daemon uses its agents.
    ///   - isOwnersTool: this process is the owner's tool. It counts where the device is in this process, which holds
    ///     all of it anyway; a daemon looks itself.
    package func keychain(
        prompt: (any PromptPort)? = nil, isOwnersTool: Bool = false
    ) throws(DeviceFailure) -> any Keychain {
        switch self {
        case .socket(let path):
            return RemoteKeychain(socketPath: path, declaredCaller: nil)
        case .directory(let path):
            let device = try EmbeddedDevice(
                directory: path, clock: SystemClock(), entropy: SystemEntropy(), passcodeCost: .calibrated,
                followsTime: true, prompt: prompt)
            device.recordsCallsUntilExit()
            var caller = try Self.callerOfThisProcess()
            if !isOwnersTool,
                let declared = try DeclaredEntitlements.caller(
                    environment: ProcessInfo.processInfo.environment, name: caller.name)
            {
                caller = declared
            }
            caller.isOwnersTool = isOwnersTool
            return device.keychain(for: caller)
        }
    }

    private static func callerOfThisProcess() throws(DeviceFailure) -> Caller {
        do {
            let identity = try PeerIdentity.ofThisProcess()
            return Caller(
                name: identity.displayName, accessGroups: PrivateGroup.spellings(of: identity.privateAccessGroup))
        } catch {
            throw DeviceFailure(.badLocation, "This process cannot tell its own executable: \(error).")
        }
    }
}
