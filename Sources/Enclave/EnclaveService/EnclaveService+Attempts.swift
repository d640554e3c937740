import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

extension EnclaveService {
    /// Runs a passcode operation on the stored keybag, while no other one runs in any process of this storage.
    @discardableResult
    func operation(_ body: (SystemKeybag) throws(EnclaveRefusal) -> Void) throws(EnclaveRefusal) -> Done {
        try operations.withLock { _ throws(EnclaveRefusal) in
            let lock = try stored { () throws(StorageFailure) in try storage.acquire() }
            defer { lock.release() }
            try body(try currentKeybag())
            return Done()
        }
    }

    /// Returns all class keys if the passcode is right. The try is recorded on disk before the passcode is checked.
    func open(_ keybag: SystemKeybag, with passcode: SecretBox) throws(EnclaveRefusal) -> ClassKeys {
        let tag = unsafe passcode.withBytes { unsafe HMACSHA256.secret(over: $0, key: attemptTagKey) }
        let written = try stored { () throws(StorageFailure) in try storage.attempts() }
        let uptime = clock.uptime()
        let start = state.withLock { state in
            state.counter.follow(written, boot: storage.boot, uptime: uptime)
            return state.counter.start(tag: tag, uptime: uptime)
        }
        switch start {
        case .exhausted: throw .disabled
        case .delayed(let seconds): throw .delayed(seconds: seconds)
        case .repeated: throw .sameWrongPasscode
        case .check(let record): try count(record)
        }
        let keys: ClassKeys
        do throws(KeybagUnlockFailure) {
            keys = try keybag.open(with: passcode)
        } catch .wrongPasscode {
            throw try refusalOfWrongPasscode(tag: tag, keybag: keybag)
        } catch {
            throw .storage(reason: "the keybag cannot be opened: \(error)")
        }
        try count(state.withLock { $0.counter.succeeded() })
        state.withLock { state in
            let uptime = clock.uptime()
            state.biometry.passcodeGiven(uptime: uptime)
            state.wasUsed(uptime: uptime)
        }
        return keys
    }

    /// Stores a new keybag and takes it over.
    /// - Parameters:
    ///   - keys: the keys that are loaded from now on; nil leaves them unchanged.
    ///   - phase: nil leaves it unchanged.
    func replaceKeybag(
        with keybag: SystemKeybag, keys: ClassKeys? = nil, phase: DevicePhase? = nil
    ) throws(EnclaveRefusal) {
        try write(keybag, keys: keys, phase: phase) { () throws(StorageFailure) in
            try storage.replaceKeybag(keybag.keybag.bytes)
        }
    }

    /// Deletes all keys permanently and begins a new device without a passcode.
    func startOver() throws(EnclaveRefusal) {
        let keybag = SystemKeybag.fresh(on: storage.hardwareKey, settings: DeviceSettings(), entropy: entropy)
        let keys: ClassKeys
        do { keys = try keybag.openWithoutPasscode() } catch {
            preconditionFailure("a keybag that was just made opens")
        }
        try write(keybag, keys: keys, phase: .noPasscode) { () throws(StorageFailure) in
            try storage.startOver(with: keybag.keybag.bytes)
        }
        enrolment.forget()
        contexts.forgetEverything()
        escrows.endAll()
        waits.cancel(of: nil)
        let written = try stored { () throws(StorageFailure) in try storage.attempts() }
        state.withLock { $0.counter = AttemptCounter(record: written, boot: storage.boot, uptime: clock.uptime()) }
    }

    /// Completes an erasure that was interrupted after its point of no return: the keys are deleted, and the new device
    /// does not exist yet.
    func finishErasing() {
        // An erasure that this process is still running completes by itself.
        guard !state.withLock({ $0.stored.isWriting }) else { return }
        changing { $0.forgetKeys() }
        // Any operation reads the storage, which completes the erasure. If it fails, the next message tries again.
        _ = try? operation { _ throws(EnclaveRefusal) in }
    }

    /// Converts an error of the storage into a refusal of the enclave, with the reason.
    func stored<Value>(_ body: () throws(StorageFailure) -> Value) throws(EnclaveRefusal) -> Value {
        do throws(StorageFailure) { return try body() } catch { throw .storage(reason: error.description) }
    }

    private func write(
        _ keybag: SystemKeybag, keys: ClassKeys?, phase: DevicePhase?,
        _ store: () throws(StorageFailure) -> Void
    ) throws(EnclaveRefusal) {
        state.withLock { $0.stored.isWriting = true }
        do throws(StorageFailure) { try store() } catch {
            // Either the old or the new keybag is stored; the next operation reads it.
            state.withLock {
                $0.stored.keybag = nil
                $0.stored.isWriting = false
            }
            throw .storage(reason: error.description)
        }
        let generation = storage.keybagGeneration()
        let uptime = clock.uptime()
        changing {
            $0.replace(keybag, generation: generation, keys: keys, phase: phase, uptime: uptime)
        }
        signal.timerChanged()
    }

    private func currentKeybag() throws(EnclaveRefusal) -> SystemKeybag {
        let generation = storage.keybagGeneration()
        let (known, keybag) = state.withLock { ($0.stored.keybag, $0.keybag) }
        if let generation, generation == known { return keybag }
        let found = try stored { () throws(StorageFailure) in try Self.systemKeybag(in: storage) }
        guard let found else {
            try startOver()
            return state.withLock { $0.keybag }
        }
        return try stored { () throws(StorageFailure) in
            let uptime = clock.uptime()
            var failure: KeybagUnlockFailure?
            changing { state in
                do throws(KeybagUnlockFailure) {
                    return try state.follow(found, generation: generation, uptime: uptime)
                } catch {
                    failure = error
                    return .none
                }
            }
            signal.timerChanged()
            if let failure { throw .damaged(path: "keybag", what: "its class keys do not open: \(failure)") }
            return found
        }
    }

    private func count(_ record: AttemptRecord) throws(EnclaveRefusal) {
        try stored { () throws(StorageFailure) in try storage.replaceAttempts(record) }
        state.withLock { $0.counter.recorded(record) }
    }

    private func refusalOfWrongPasscode(
        tag: SecretBox, keybag: SystemKeybag
    ) throws(EnclaveRefusal) -> EnclaveRefusal {
        let attemptsLeft = state.withLock { state in
            state.counter.failed(tag: tag)
            return state.counter.attemptsLeft
        }
        guard attemptsLeft == 0 else { return .wrongPasscode(attemptsLeft: attemptsLeft) }
        guard keybag.settings.eraseAfterTenFailures else { return .disabled }
        try startOver()
        return .erased
    }
}
