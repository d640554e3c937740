import Foundation
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySyncService
import LatchkeySyncStore
import Synchronization

/// The device as the real daemon and the real enclave process on a temporary directory.
final class ProcessStage: DeviceStage {
    private struct State {
        /// Nil while the device is off.
        var processes: DeviceProcesses?
        var isClosed = false
        /// The apps that called last, the latest at the end. Each has connections of its own, and a daemon serves only
        /// so many; a reboot starts anew with none.
        var keychains: [(caller: Caller, keychain: RemoteKeychain)] = []
    }

    private static let keychainLimit = 16

    private let directory: TemporaryDirectory
    private let executables: URL
    private let person: ScriptedPerson
    private let sensor: SensorSocket
    private let state = Mutex(State())

    init(
        _ directory: TemporaryDirectory, executables: URL?, person: ScriptedPerson
    ) throws(VirtualDeviceError) {
        self.directory = directory
        self.person = person
        do throws(VirtualDeviceError) {
            try DeviceProcesses.prepare(directory.path)
            sensor = try SensorSocket(path: DeviceProcesses.sensorSocket(of: directory.path), person: person)
        } catch {
            directory.remove()
            throw error
        }
        do throws(VirtualDeviceError) {
            if let executables {
                self.executables = executables
            } else {
                self.executables = try DeviceProcesses.executablesOfThisProgram()
            }
            let processes = try DeviceProcesses(
                device: directory.path, executables: self.executables, person: person)
            state.withLock { $0.processes = processes }
        } catch {
            sensor.close()
            directory.remove()
            throw error
        }
    }

    deinit {
        close()
    }

    func keychain(for caller: Caller) -> any Keychain {
        state.withLock { state in
            guard state.processes != nil else {
                return state.isClosed ? ClosedKeychain.ofClosedDevice : ClosedKeychain.ofStoppedDevice
            }
            if let index = state.keychains.firstIndex(where: { $0.caller == caller }) {
                state.keychains.append(state.keychains.remove(at: index))
                return state.keychains[state.keychains.count - 1].keychain
            }
            let keychain = RemoteKeychain(
                socketPath: DeviceDirectory(path: directory.path).keychainSocket, declaredCaller: caller)
            if state.keychains.count == Self.keychainLimit { state.keychains.removeFirst() }
            state.keychains.append((caller, keychain))
            return keychain
        }
    }

    func advance(by duration: Duration) throws(VirtualDeviceError) {
        throw VirtualDeviceError(
            .clockNotMovable, "advance", reason: "A device of processes has the machine's clock.",
            advice: "Use VirtualDevice(backend: .embedded).")
    }

    var clock: VirtualClock? { nil }

    var isRunning: Bool { state.withLock { $0.processes != nil } }

    /// In one step: a call made meanwhile waits for the device that comes up.
    func reboot() throws(VirtualDeviceError) {
        let result = state.withLock { state -> Result<Void, VirtualDeviceError> in
            guard !state.isClosed else { return .failure(.closed("reboot")) }
            guard state.processes != nil else { return .failure(.notRunning("reboot")) }
            end(&state)
            return begin(&state)
        }
        try result.get()
    }

    func stop() throws(VirtualDeviceError) {
        let isClosed = state.withLock { state in
            end(&state)
            return state.isClosed
        }
        if isClosed { throw VirtualDeviceError.closed("stop") }
    }

    func start() throws(VirtualDeviceError) {
        let result = state.withLock { state -> Result<Void, VirtualDeviceError> in
            guard !state.isClosed else { return .failure(.closed("start")) }
            return state.processes == nil ? begin(&state) : .success(())
        }
        try result.get()
    }

    private func end(_ state: inout State) {
        state.keychains = []
        state.processes?.end()
        state.processes = nil
    }

    private func begin(_ state: inout State) -> Result<Void, VirtualDeviceError> {
        do throws(VirtualDeviceError) {
            state.processes = try DeviceProcesses(device: directory.path, executables: executables, person: person)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// The daemon of such a device has its items.
    func syncParts(named name: String, _ stores: any CircleStores) -> SyncParts? { nil }

    /// The daemon has no call for the removal of an app: each class is deleted as a caller who has just these groups. An
    /// identity is a certificate and a key; keys of the enclave end with their items.
    func deleteItems(inAccessGroups groups: [String]) throws(VirtualDeviceError) {
        let keychain = keychain(for: Caller(name: "app removal", accessGroups: groups))
        if let closed = keychain as? ClosedKeychain { throw closed.error("uninstall") }
        for itemClass in ItemClass.allCases where itemClass != .identity {
            let query = [
                QueryPair("class", .string(itemClass.rawValue)), QueryPair(.synchronizable, .string("syna")),
                QueryPair("u_Tomb", .boolean(false)),
            ]
            let reply = keychain.perform(ItemRequest(operation: .delete, query: query, wantsResult: false))
            guard reply.code == .success || reply.code == .itemNotFound else {
                let refusal = reply.refusal
                throw VirtualDeviceError(
                    reply.code == .notAvailable ? .unreachable : .storageFailed, "uninstall",
                    reason: refusal?.reason ?? "An item was not deleted: status \(reply.code.rawValue).",
                    advice: refusal?.advice ?? "Look at the files in the device's directory.")
            }
        }
    }

    func close() {
        guard directory.isOwn else { return }
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            end(&state)
            sensor.close()
            directory.remove()
        }
    }
}
