import Foundation
import LatchkeyDevice
import LatchkeyEnclaveCore
import LatchkeyKeychainMessages
import Synchronization

/// The device as objects in this process, with a clock that stands still.
final class EmbeddedStage: DeviceStage {
    private let directory: TemporaryDirectory
    private let clock: VirtualClock
    private let device: EmbeddedDevice
    private let isClosed = Mutex(false)

    init(
        _ directory: TemporaryDirectory, seed: UInt64, start: Date, person: ScriptedPerson
    ) throws(VirtualDeviceError) {
        self.directory = directory
        clock = VirtualClock(start: start)
        do throws(DeviceFailure) {
            device = try EmbeddedDevice(
                directory: directory.path, clock: clock, entropy: SeededEntropy(seed: seed),
                passcodeCost: .fixed(log2Cost: 4), sensor: person, prompt: person)
        } catch {
            directory.remove()
            throw VirtualDeviceError(error.description)
        }
    }

    func keychain(for caller: Caller) -> any Keychain {
        isClosed.withLock { $0 } ? ClosedKeychain() : device.keychain(for: caller)
    }

    func advance(by duration: Duration) throws(VirtualDeviceError) {
        clock.advance(by: duration)
        device.clockMoved()
    }

    func reboot() throws(VirtualDeviceError) {
        device.restart()
    }

    func deleteItems(inAccessGroups groups: [String]) throws(VirtualDeviceError) {
        do throws(DeviceFailure) {
            try device.deleteItems(inAccessGroups: groups)
        } catch {
            throw VirtualDeviceError(error.description)
        }
    }

    func close() {
        let isFirst = isClosed.withLock { closed in
            defer { closed = true }
            return !closed
        }
        guard isFirst else { return }
        device.close()
        directory.remove()
    }
}
