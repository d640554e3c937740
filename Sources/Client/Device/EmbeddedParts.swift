import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyEncoding
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyThreading

/// The services of an embedded device in one process, and what they are made with.
///
/// A child of `fork` has none of the parent's keys, locks and threads, and must not touch its connections to the database: it
/// makes services of its own, for which the parent's are only the plan.
final class EmbeddedParts: Sendable {
    /// The arguments of an ``EmbeddedDevice``.
    struct Plan: Sendable {
        let directory: DeviceDirectory
        let clock: any DeviceClock
        let entropy: any Entropy
        let passcodeCost: PasscodeCost
        let followsTime: Bool
        let sensor: any BiometricSensor
        let prompt: (any PromptPort)?
    }

    let enclave: EnclaveService
    let service: KeychainService
    let lock: DeviceLock
    private let followsTime: Bool
    private let isFollowingTime = ForkMutex(false)

    init(_ plan: Plan) throws(DeviceFailure) {
        followsTime = plan.followsTime
        try plan.directory.prepare()
        lock = try DeviceLock(plan.directory, for: .embedded)
        let storage: FileEnclaveStorage
        do throws(StorageFailure) {
            storage = try FileEnclaveStorage(directory: plan.directory.enclave, entropy: plan.entropy)
        } catch {
            throw DeviceFailure(.storage, error.description)
        }
        do throws(EnclaveRefusal) {
            enclave = try EnclaveService(
                storage: storage, clock: plan.clock, entropy: plan.entropy, passcodeCost: plan.passcodeCost,
                sensor: plan.sensor)
        } catch {
            throw DeviceFailure(.storage, PasscodeWords.reason(error) + " " + PasscodeWords.advice(error))
        }
        do throws(KeychainOpenFailure) {
            service = try KeychainService(
                directory: plan.directory.path, enclave: enclave, clock: plan.clock, entropy: plan.entropy,
                kind: "embedded", isFileGone: MissingFile.isGone)
        } catch {
            throw DeviceFailure(.storage, error.description)
        }
        if let prompt = plan.prompt { service.prompts.attach(local: prompt) }
    }

    /// Starts the threads, here and in the service, that remove keys in time. Called when a grace period or an idle
    /// time begins, or a watcher follows the lock state.
    func beginFollowingTime() {
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
