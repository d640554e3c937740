import Glibc
package import LatchkeyCryptoSuite
package import LatchkeyEnclaveContract
package import LatchkeyEnclaveCore
package import LatchkeyEnclaveService
package import LatchkeyEncoding
package import LatchkeyKeychainMessages
package import LatchkeyKeychainService
import LatchkeySecretMemory
import LatchkeyThreading

/// A device opened in this process: the same services as behind a daemon, without a socket between them.
///
/// The directory may be open in several processes at once; each unlocks for itself. A child of `fork` is such a process: its
/// first call opens the device anew, locked if it has a passcode. The parent's services are not touched there, nor released.
package final class EmbeddedDevice: Sendable {
    package let directory: DeviceDirectory
    private let plan: EmbeddedParts.Plan
    /// The services of the process that made the device.
    private let first: EmbeddedParts
    private let process = ProcessMark.current
    /// The services of a child of that process.
    private let later = ProcessMutex<EmbeddedParts?>(nil)
    /// True once ``recordsCallsUntilExit()`` was called.
    private let recordsCalls = ForkMutex(false)

    /// - Parameters:
    ///   - followsTime: ends grace periods by a thread of its own. A virtual device moves its clock itself and calls
    ///     ``clockMoved()``.
    ///   - prompt: prompts the user at the device; nil if no prompt can be shown.
    package init(
        directory path: String, clock: any DeviceClock, entropy: any Entropy, passcodeCost: PasscodeCost,
        followsTime: Bool = false, sensor: any BiometricSensor = NoSensor(), prompt: (any PromptPort)? = nil
    ) throws(DeviceFailure) {
        directory = DeviceDirectory(path: path)
        plan = EmbeddedParts.Plan(
            directory: directory, clock: clock, entropy: entropy, passcodeCost: passcodeCost, followsTime: followsTime,
            sensor: sensor, prompt: prompt)
        first = try EmbeddedParts(plan)
    }

    deinit {
        // Their end would close connections to the database that the parent goes on with.
        if process != .current { _ = unsafe Unmanaged.passRetained(first) }
    }

    /// The services of this process. A child opens the device here.
    func parts() throws(DeviceFailure) -> EmbeddedParts {
        if process == .current { return first }
        return try later.withLock { parts throws(DeviceFailure) in
            if let parts { return parts }
            first.lock.closeInChild()
            let made = try EmbeddedParts(plan)
            parts = made
            if recordsCalls.withLock({ $0 }) { Self.record(made.service) }
            return made
        }
    }

    /// The services, if this process has opened them.
    private var openedParts: EmbeddedParts? { process == .current ? first : later.withLock { $0 } }

    /// The enclave of this process; nil in a child of `fork` that cannot open the device.
    package var enclave: EnclaveService? { (try? parts())?.enclave }

    /// The keychain as `caller` sees it.
    package func keychain(for caller: Caller) -> any Keychain {
        EmbeddedKeychain(device: self, caller: caller)
    }

    /// Deletes every item of the groups without a trace, as the removal of an app may.
    package func deleteItems(inAccessGroups groups: [String]) throws(DeviceFailure) {
        let service = try parts().service
        do throws(CallFailure) {
            _ = try service.deleteItems(inAccessGroups: groups)
        } catch {
            throw DeviceFailure(
                .storage,
                "The items cannot be deleted: \((error.refusal?.reason ?? "").withoutFullStop).")
        }
    }

    /// The items that this device shares with others of its circle; nil in a child that cannot open it.
    package var sharedItems: SharedItems? { (try? parts())?.service.shared }

    /// Switches the device off and on: every key is gone until the passcode is given.
    package func restart() {
        guard let parts = openedParts else { return }
        parts.enclave.restart()
        parts.service.keysChanged()
    }

    /// Wipes the keys whose time is over. A virtual clock calls it when it was moved.
    package func clockMoved() {
        guard let parts = openedParts else { return }
        parts.enclave.clockMoved()
        parts.service.keysChanged()
    }

    package func close() {
        openedParts?.service.close()
    }

    /// When the process ends by `exit`, the audit log gets the calls of the last second as well. For a device that lives
    /// as long as the process.
    func recordsCallsUntilExit() {
        recordsCalls.withLock { $0 = true }
        if let openedParts { Self.record(openedParts.service) }
    }

    private struct OpenService: Sendable {
        weak var service: KeychainService?
    }

    /// A child that fork makes has the waiting calls of its parent, and they are the parent's to write.
    private static let untilExit = ProcessMutex<[OpenService]>([])
    private static func record(_ service: KeychainService) {
        untilExit.withLock { open in
            if open.isEmpty { atexit { EmbeddedDevice.recordCallsAtExit() } }
            open.append(OpenService(service: service))
        }
    }

    private static func recordCallsAtExit() {
        let services = untilExit.withLockIfAvailable { $0.compactMap(\.service) }
        for service in services ?? [] { service.flushAuditAtExit() }
    }
}
