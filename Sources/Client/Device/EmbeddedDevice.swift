import Glibc
package import LatchkeyCryptoSuite
package import LatchkeyEnclaveContract
package import LatchkeyEnclaveCore
package import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
package import LatchkeyEncoding
package import LatchkeyKeychainMessages
package import LatchkeyKeychainService
import LatchkeyPeerIdentity
import LatchkeyThreading
import Synchronization

/// A device opened in this process: the same services as behind a daemon, without a socket between them.
///
/// The directory may be open in several processes at once; each unlocks for itself.
package final class EmbeddedDevice: Sendable {
    package let directory: DeviceDirectory
    package let enclave: EnclaveService
    private let service: KeychainService
    private let lock: DeviceLock
    private let followsTime: Bool
    private let isFollowingTime = Mutex(false)

    /// - Parameters:
    ///   - followsTime: ends grace periods by a thread of its own. A virtual device moves its clock itself and calls
    ///     ``clockMoved()``.
    ///   - prompt: prompts the user at the device; nil if no prompt can be shown.
    package init(
        directory path: String, clock: any DeviceClock, entropy: any Entropy, passcodeCost: PasscodeCost,
        followsTime: Bool = false, sensor: any BiometricSensor = NoSensor(), prompt: (any PromptPort)? = nil
    ) throws(DeviceFailure) {
        self.followsTime = followsTime
        directory = DeviceDirectory(path: path)
        try directory.prepare()
        lock = try DeviceLock(directory, for: .embedded)
        let storage: FileEnclaveStorage
        do throws(StorageFailure) {
            storage = try FileEnclaveStorage(directory: directory.enclave, entropy: entropy)
        } catch {
            throw DeviceFailure(.storage, error.description)
        }
        do throws(EnclaveRefusal) {
            enclave = try EnclaveService(
                storage: storage, clock: clock, entropy: entropy, passcodeCost: passcodeCost, sensor: sensor)
        } catch {
            throw DeviceFailure(.storage, PasscodeWords.reason(error) + " " + PasscodeWords.advice(error))
        }
        do throws(KeychainOpenFailure) {
            service = try KeychainService(
                directory: path, enclave: enclave, clock: clock, entropy: entropy, kind: "embedded",
                isFileGone: MissingFile.isGone)
        } catch {
            throw DeviceFailure(.storage, error.description)
        }
        if let prompt { service.prompts.attach(local: prompt) }
    }

    /// The keychain as `caller` sees it.
    package func keychain(for caller: Caller) -> any Keychain {
        EmbeddedKeychain(device: self, service: service, caller: caller)
    }

    /// Deletes every item of the groups without a trace, as the removal of an app may.
    package func deleteItems(inAccessGroups groups: [String]) throws(DeviceFailure) {
        do throws(CallFailure) {
            _ = try service.deleteItems(inAccessGroups: groups)
        } catch {
            throw DeviceFailure(
                .storage,
                "The items cannot be deleted: \((error.refusal?.reason ?? "").withoutFullStop).")
        }
    }

    /// The items that this device shares with others of its circle.
    package var sharedItems: SharedItems { service.shared }

    /// Switches the device off and on: every key is gone until the passcode is given.
    package func restart() {
        enclave.restart()
        service.keysChanged()
    }

    /// Wipes the keys whose time is over. A virtual clock calls it when it was moved.
    package func clockMoved() {
        enclave.clockMoved()
        service.keysChanged()
    }

    package func close() {
        service.close()
    }

    /// When the process ends by `exit`, the audit log gets the calls of the last second as well. For a device that lives
    /// as long as the process.
    func recordsCallsUntilExit() {
        Self.untilExit.withLock { open in
            if open.isEmpty { atexit { EmbeddedDevice.recordCallsAtExit() } }
            open.append(OpenService(service: service))
        }
    }

    private struct OpenService {
        weak var service: KeychainService?
        /// A child that fork makes has the waiting calls of its parent, and they are the parent's to write.
        let process = getpid()
    }

    private static let untilExit = Mutex<[OpenService]>([])

    private static func recordCallsAtExit() {
        let services = untilExit.withLockIfAvailable { open in
            open.filter { $0.process == getpid() }.compactMap(\.service)
        }
        for service in services ?? [] { service.flushAuditAtExit() }
    }

    /// Starts the threads, here and in the service, that remove keys in time. Called when a grace period or an idle
    /// time begins, or a watcher follows the lock state.
    fileprivate func beginFollowingTime() {
        let isFirst = isFollowingTime.withLock { following in
            defer { following = true }
            return followsTime && !following
        }
        guard isFirst else { return }
        let (enclave, service) = (enclave, service)
        // Without a thread the keys go at the next call, which checks the time too.
        _ = DetachedThread.start { enclave.runTimer() }
        _ = DetachedThread.start {
            var epoch = enclave.keyEpoch
            while let next = try? enclave.ask(AwaitKeyChange(after: epoch)).value {
                service.keysChanged()
                epoch = next
            }
        }
    }
}

private struct EmbeddedKeychain: Keychain {
    let device: EmbeddedDevice
    let service: KeychainService
    let caller: Caller

    /// A process has one caller; what runs as several apps wraps this.
    var identity: ObjectIdentifier { ObjectIdentifier(service) }

    func perform(_ request: ItemRequest) -> ItemReply {
        service.perform(request, caller: caller, session: nil)
    }

    func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
        try service.ask(question, caller: caller)
    }

    func ask<Question: DeviceQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
        if Question.traits.contains(.startsTimes) { device.beginFollowingTime() }
        return try service.ask(question, caller: caller)
    }

    func ask<Question: FileKeyQuestion>(_ question: Question) throws(FileKeyRefusal) -> Question.Answer {
        try service.ask(question, caller: caller)
    }

    func watchProtectedData() -> any ProtectedDataWatch {
        device.beginFollowingTime()
        return service.watchProtectedData(caller)
    }

    func watchItems() -> any ItemWatch {
        service.watchItems(caller)
    }

    func openSession() -> any AuthenticationSession {
        EmbeddedSession(service: service, session: ServiceSession(service: service), caller: caller)
    }
}

/// An authentication context of a device in this process.
private final class EmbeddedSession: AuthenticationSession {
    private let service: KeychainService
    private let session: ServiceSession
    private let caller: Caller

    init(service: KeychainService, session: ServiceSession, caller: Caller) {
        self.service = service
        self.session = session
        self.caller = caller
    }

    deinit {
        session.end()
    }

    func ask<Question: AuthenticationQuestion>(
        _ question: Question
    ) throws(AuthenticationRefusal) -> Question.Answer {
        try service.ask(question, caller: caller, session: session)
    }

    func perform(_ request: ItemRequest) -> ItemReply {
        service.perform(request, caller: caller, session: session)
    }

    func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
        try service.ask(question, caller: caller, session: session)
    }

    func end() {
        session.end()
    }
}
