package import LatchkeyCryptoSuite
package import LatchkeyEnclaveCore
package import LatchkeyEnclaveStorage
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeySecretMemory
import Synchronization

/// The enclave as an object: keeps class keys and lock state, counts passcode tries, wraps and unwraps keys.
///
/// Safe from any thread. Passcode operations, which take as long as scrypt does, queue behind each other and behind
/// those of other processes on the same storage; key operations and status never wait for them.
package final class EnclaveService: EnclaveMailbox, Sendable {
    let storage: any EnclaveStorage
    let clock: any DeviceClock
    let entropy: any Entropy
    let passcodeCost: PasscodeCost
    let signal: ChangeSignal
    /// One passcode operation at a time. Taken before ``state``, never after.
    let operations = Mutex(())
    /// Held for moments only.
    let state: Mutex<DeviceState>
    let sensor: any BiometricSensor
    let enrolment: EnrolmentWatch
    let contexts = AuthenticationContexts()
    let rules = ItemRules()
    let deletedKeys: DeletedKeysWatch
    let openedKeys: OpenedKeys
    /// The innermost layer but the application password's of the enclave's own keys: whoever has a class key, without
    /// this one they open nowhere.
    let ownKeysKey: SecretBox
    /// Seals what is in the clear about them.
    let ownKeysSealKey: SecretBox
    let turns = SensorTurns()
    let waits = FingerWaits()
    /// The enrolment that is under way or whose end nobody has heard of.
    let enrolmentRun = Mutex<EnrolmentRun?>(nil)
    /// Turns a wrong passcode into the tag by which its repetition is known; forgotten with the process.
    let attemptTagKey: SecretBox
    let calibration = ScryptCalibration()

    /// Opens the device in `storage`, or begins a new one without a passcode.
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
        // Not from zero: an epoch of an enclave process that ended is not taken for one of this.
        let first = entropy.bytes(6).reduce(UInt64(1)) { $0 << 8 | UInt64($1) }
        signal = ChangeSignal(firstEpoch: first)
        openedKeys = OpenedKeys(epoch: first)
        ownKeysKey = storage.hardwareKey.derived(label: EnclaveKeyBlob.deviceKeyLabel)
        ownKeysSealKey = storage.hardwareKey.derived(label: EnclaveKeyBlob.sealKeyLabel)
        state = Mutex(try Self.openDevice(in: storage, clock: clock, entropy: entropy))
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

    /// As a reboot of the device: all keys that need the passcode go, a running delay begins anew.
    package func restart() {
        operations.withLock { _ in
            waits.cancel(of: nil)
            cancelEnrolment()
            contexts.forgetEverything()
            changing { state in
                state.counter.restarted(boot: storage.boot, uptime: clock.uptime())
                do { return try state.restart() } catch { return .keys }
            }
            let record = state.withLock { $0.counter.needsWriting ? $0.counter.record : nil }
            // If this cannot be written, another process may let the delay run on; this one does not.
            if let record, (try? storage.replaceAttempts(record)) != nil {
                state.withLock { $0.counter.recorded(record) }
            }
        }
    }

    /// Ends the idle time and the grace period where they are over, and notices a keybag that another process stored.
    func settle() {
        let uptime = clock.uptime()
        changing { $0.expire(uptime: uptime) { enrolment.known } }
        guard let stored = storage.keybagGeneration(),
            state.withLock({ !$0.stored.isWriting && $0.stored.keybag != stored })
        else { return }
        let found: SystemKeybag?
        // In the middle of somebody's write this fails; the next message tries again.
        do { found = try Self.systemKeybag(in: storage) } catch { return }
        guard let keybag = found else {
            finishErasing()
            return
        }
        changing { state in
            guard !state.stored.isWriting, state.stored.keybag != stored else { return .none }
            do { return try state.follow(keybag, generation: stored, uptime: uptime) } catch { return .none }
        }
        // Another keybag may set another time after which the device locks by itself.
        signal.timerChanged()
    }

    /// Changes the state and announces it while nobody can see the new state without the new epoch.
    func changing(_ change: (inout DeviceState) -> DeviceState.Change) {
        state.withLock { state in
            guard case .keys = change(&state) else { return }
            signal.keysChanged()
            openedKeys.forgetAll(beginning: signal.epoch)
        }
    }
}

/// Each answer stands in the file of its family.
extension EnclaveService: EnclaveAnswers {}
