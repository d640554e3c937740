import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyEncoding
import LatchkeyKeybag

extension EnclaveService {
    /// Returns the state of a device that has just started, from its storage or for a new device.
    static func openDevice(
        in storage: some EnclaveStorage, clock: any DeviceClock, entropy: any Entropy
    ) throws(EnclaveRefusal) -> DeviceState {
        do throws(StorageFailure) {
            let lock = try storage.acquire()
            defer { lock.release() }
            if let bytes = try storage.keybag() {
                let keybag = try parse(bytes, in: storage)
                let counter = try openCounter(in: storage, clock: clock)
                // The tenth try was interrupted before it could erase the device.
                guard counter.isExhausted, keybag.settings.eraseAfterTenFailures else {
                    return try state(of: keybag, counter: counter, in: storage, entropy: entropy)
                }
            }
            let keybag = SystemKeybag.fresh(on: storage.hardwareKey, settings: DeviceSettings(), entropy: entropy)
            try storage.startOver(with: keybag.keybag.bytes)
            let counter = try openCounter(in: storage, clock: clock)
            return try state(of: keybag, counter: counter, in: storage, entropy: entropy)
        } catch {
            throw .storage(reason: error.description)
        }
    }

    /// Returns the stored keybag.
    static func systemKeybag(in storage: any EnclaveStorage) throws(StorageFailure) -> SystemKeybag? {
        guard let bytes = try storage.keybag() else { return nil }
        return try parse(bytes, in: storage)
    }

    private static func parse(
        _ bytes: [UInt8], in storage: any EnclaveStorage
    ) throws(StorageFailure) -> SystemKeybag {
        do throws(KeybagFailure) {
            return SystemKeybag(try Keybag(parsing: bytes), hardwareKey: storage.hardwareKey)
        } catch {
            throw .damaged(path: "keybag", what: "its content is not a valid keybag: \(error)")
        }
    }

    private static func openCounter(
        in storage: some EnclaveStorage, clock: any DeviceClock
    ) throws(StorageFailure) -> AttemptCounter {
        var counter = AttemptCounter(record: try storage.attempts(), boot: storage.boot, uptime: clock.uptime())
        if counter.needsWriting {
            try storage.replaceAttempts(counter.record)
            counter.recorded(counter.record)
        }
        return counter
    }

    private static func state(
        of keybag: SystemKeybag, counter: AttemptCounter, in storage: some EnclaveStorage, entropy: any Entropy
    ) throws(StorageFailure) -> DeviceState {
        do throws(KeybagUnlockFailure) {
            return try DeviceState(
                keybag: keybag, generation: storage.keybagGeneration(), counter: counter, entropy: entropy)
        } catch {
            throw .damaged(path: "keybag", what: "its class keys do not open with this device's UID: \(error)")
        }
    }
}
