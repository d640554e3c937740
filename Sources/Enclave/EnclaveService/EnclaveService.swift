package import LatchkeyCryptoSuite
package import LatchkeyEnclaveContract
package import LatchkeyEnclaveCore
package import LatchkeyEnclaveStorage
package import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

/// The enclave as an object: holds class keys and lock state, counts passcode tries, wraps and unwraps keys.
///
/// It can be used from any thread. Passcode operations take as long as scrypt and run one after the other, also across
/// processes on the same storage. Key operations and status never wait for them.
package final class EnclaveService: EnclaveMailbox, Sendable {
    let storage: any EnclaveStorage
    let clock: any DeviceClock
    let entropy: any Entropy
    let passcodeCost: PasscodeCost
    let signal: ChangeSignal
    /// Held by the one passcode operation that is running. Locked before ``state``, never after it.
    let operations = ForkMutex(())
    /// Held only briefly.
    let state: ForkMutex<DeviceState>
    let sensor: any BiometricSensor
    let enrolment: EnrolmentWatch
    let contexts = AuthenticationContexts()
    let escrows = EscrowSessions()
    let rules = ItemRules()
    let deletedKeys: DeletedKeysWatch
    let openedKeys: OpenedKeys
    /// The device key for the inner layer of enclave keys. An attacker who has a class key cannot unwrap them without
    /// it.
    let ownKeysKey: SecretBox
    /// The device key for the seal of their clear part.
    let ownKeysSealKey: SecretBox
    let turns = SensorTurns()
    let waits = FingerWaits()
    /// The enrolment in progress, or one whose end has not been reported yet.
    let enrolmentRun = ForkMutex<EnrolmentRun?>(nil)
    /// Derives the tag by which a repeated wrong passcode is recognised. The key exists only in this process.
    let attemptTagKey: SecretBox
    let calibration = ScryptCalibration()

    /// Opens the device in `storage`, or makes a new one without a passcode.
    package init(
        storage: some EnclaveStorage, clock: any DeviceClock, entropy: any Entropy, passcodeCost: PasscodeCost,
        sensor: any BiometricSensor = NoSensor()
    ) throws(EnclaveRefusal) {
        self.sensor = sensor
        self.storage = storage
        self.clock = clock
        self.entropy = entropy
        self.passcodeCost = passcodeCost
        attemptTagKey = unsafe SecretBox(count: 32) { unsafe entropy.fill($0) }
        // The first epoch is random, so that an epoch of an earlier enclave process is not taken for one of this
        // process.
        let first = entropy.bytes(6).reduce(UInt64(1)) { $0 << 8 | UInt64($1) }
        signal = ChangeSignal(firstEpoch: first)
        openedKeys = OpenedKeys(epoch: first)
        ownKeysKey = storage.hardwareKey.derived(label: EnclaveKeyBlob.deviceKeyLabel)
        ownKeysSealKey = storage.hardwareKey.derived(label: EnclaveKeyBlob.sealKeyLabel)
        state = ForkMutex(try Self.openDevice(in: storage, clock: clock, entropy: entropy))
        do throws(StorageFailure) {
            enrolment = try EnrolmentWatch(sensor: sensor, storage: storage, entropy: entropy)
            deletedKeys = try DeletedKeysWatch(storage: storage)
        } catch {
            throw .storage(reason: error.description)
        }
    }

    package var keyEpoch: UInt64 {
        settle()
        return signal.epoch
    }

    @discardableResult
    package func ask<Question: EnclaveQuestion>(_ question: Question) throws(EnclaveRefusal) -> Question.Answer {
        settle()
        return try question.answer(by: self)
    }

    /// Restarts the device: removes all keys that need the passcode and restarts the current delay.
    package func restart() {
        operations.withLock { _ in
            waits.cancel(of: nil)
            cancelEnrolment()
            contexts.forgetEverything()
            escrows.endAll()
            changing { state in
                state.counter.restarted(boot: storage.boot, uptime: clock.uptime())
                do { return try state.restart() } catch { return .keys }
            }
            let record = state.withLock { $0.counter.needsWriting ? $0.counter.record : nil }
            // If the write fails, another process may let the delay continue; this process does not.
            if let record, (try? storage.replaceAttempts(record)) != nil {
                state.withLock { $0.counter.recorded(record) }
            }
        }
    }

    /// Ends the idle time and the grace period if they are over, and reads a keybag that another process has stored.
    func settle() {
        let uptime = clock.uptime()
        changing { $0.expire(uptime: uptime) { enrolment.known } }
        escrows.expire(uptime: uptime)
        guard let stored = storage.keybagGeneration(),
            state.withLock({ !$0.stored.isWriting && $0.stored.keybag != stored })
        else { return }
        let found: SystemKeybag?
        // This fails while another process is writing; the next message tries again.
        do { found = try Self.systemKeybag(in: storage) } catch { return }
        guard let keybag = found else {
            finishErasing()
            return
        }
        changing { state in
            guard !state.stored.isWriting, state.stored.keybag != stored else { return .none }
            do { return try state.follow(keybag, generation: stored, uptime: uptime) } catch { return .none }
        }
        // The new keybag may have another idle time.
        signal.timerChanged()
    }

    /// Changes the state. The new epoch is announced before another thread can read the new state.
    func changing(_ change: (inout DeviceState) -> DeviceState.Change) {
        state.withLock { state in
            guard case .keys = change(&state) else { return }
            signal.keysChanged()
            openedKeys.forgetAll(beginning: signal.epoch)
        }
    }
}

/// The answers are in the files of their families.
extension EnclaveService: EnclaveAnswers {}
