import Foundation
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeySyncKeys
import LatchkeySyncService
import LatchkeySyncStore
import Synchronization

/// The device as objects in this process, with a clock that stands still.
final class EmbeddedStage: DeviceStage {
    private enum State {
        case running(EmbeddedDevice)
        case stopped
        case closed
    }

    private let directory: TemporaryDirectory
    private let ownClock: VirtualClock
    private let entropy: SeededEntropy
    private let person: ScriptedPerson
    private let state: Mutex<State>

    init(
        _ directory: TemporaryDirectory, seed: UInt64, clock: VirtualClock, person: ScriptedPerson
    ) throws(VirtualDeviceError) {
        self.directory = directory
        self.person = person
        ownClock = clock
        entropy = SeededEntropy(seed: seed)
        do throws(VirtualDeviceError) {
            state = Mutex(.running(try Self.device(directory, clock, entropy, person)))
        } catch {
            directory.remove()
            throw error
        }
    }

    private static func device(
        _ directory: TemporaryDirectory, _ clock: VirtualClock, _ entropy: SeededEntropy, _ person: ScriptedPerson
    ) throws(VirtualDeviceError) -> EmbeddedDevice {
        do throws(DeviceFailure) {
            return try EmbeddedDevice(
                directory: directory.path, clock: clock, entropy: entropy, passcodeCost: .fixed(log2Cost: 4),
                sensor: person, prompt: person)
        } catch {
            throw VirtualDeviceError(error)
        }
    }

    /// The device, nil while it is off.
    private var device: EmbeddedDevice? {
        state.withLock { state in
            if case .running(let device) = state { device } else { nil }
        }
    }

    private func runningDevice(_ call: String) throws(VirtualDeviceError) -> EmbeddedDevice {
        let state = state.withLock { $0 }
        switch state {
        case .running(let device): return device
        case .stopped: throw .notRunning(call)
        case .closed: throw .closed(call)
        }
    }

    var isRunning: Bool { device != nil }

    var clock: VirtualClock? { ownClock }

    func replaceFiles(by directory: TemporaryDirectory) throws(VirtualDeviceError) {
        try self.directory.replaceContent(by: directory)
    }

    func syncParts(named name: String, _ stores: any CircleStores) -> SyncParts? {
        guard let device, let description = DeviceDescription(name: name, system: "Latchkey"),
            let items = device.sharedItems, let enclave = device.enclave
        else { return nil }
        return SyncParts(
            items: items, enclave: enclave, stores: stores, clock: ownClock, entropy: entropy, description: description)
    }

    func keychain(for caller: Caller) -> any Keychain {
        state.withLock { state in
            switch state {
            case .running(let device): device.keychain(for: caller)
            case .stopped: ClosedKeychain.ofStoppedDevice
            case .closed: ClosedKeychain.ofClosedDevice
            }
        }
    }

    func advance(by duration: Duration) throws(VirtualDeviceError) {
        ownClock.advance(by: duration)
        device?.clockMoved()
    }

    func reboot() throws(VirtualDeviceError) {
        try runningDevice("reboot").restart()
    }

    /// The old device is closed before the lock is given back: a start at the same time waits until its files are free.
    func stop() throws(VirtualDeviceError) {
        let result = state.withLock { state -> Result<Void, VirtualDeviceError> in
            switch state {
            case .running(let device):
                // Keys go, as in a restart: an app may hold on to the device a little longer.
                device.restart()
                device.close()
                state = .stopped
                return .success(())
            case .stopped: return .success(())
            case .closed: return .failure(.closed("stop"))
            }
        }
        try result.get()
    }

    func start() throws(VirtualDeviceError) {
        let result = state.withLock {
            [directory, ownClock, entropy, person] state -> Result<Void, VirtualDeviceError> in
            switch state {
            case .running: return .success(())
            case .stopped:
                do throws(VirtualDeviceError) {
                    state = .running(try Self.device(directory, ownClock, entropy, person))
                    return .success(())
                } catch {
                    return .failure(error)
                }
            case .closed: return .failure(.closed("start"))
            }
        }
        try result.get()
    }

    func deleteItems(inAccessGroups groups: [String]) throws(VirtualDeviceError) {
        let device = try runningDevice("uninstall")
        do throws(DeviceFailure) {
            try device.deleteItems(inAccessGroups: groups)
        } catch {
            throw VirtualDeviceError(error, "uninstall")
        }
    }

    func close() {
        // To close a database in a forked child would fold its log, which the parent still uses.
        guard directory.isOwn else { return }
        let before = state.withLock { state in
            defer { state = .closed }
            return state
        }
        switch before {
        case .running(let device): device.close()
        case .stopped: break
        case .closed: return
        }
        directory.remove()
    }
}
