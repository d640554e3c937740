import Foundation
import Synchronization

extension SyncLaboratory {
    /// The state of all devices and of the store at one moment.
    public final class Mark: Sendable {
        /// The copy of one device.
        struct Copy: Sendable {
            let directory: TemporaryDirectory
            let passcode: String?
            let isUnlocked: Bool
        }

        /// The virtual time at which it was made.
        public let time: Duration
        let copies: [VirtualDevice: Copy]
        let store: Capture

        init(at time: Duration, _ copies: [VirtualDevice: Copy], _ store: Capture) {
            self.time = time
            self.copies = copies
            self.store = store
        }

        deinit {
            for copy in copies.values { copy.directory.remove() }
        }
    }

    /// Copies every device that is switched on or off, and the store, as a backup would that knows everything.
    public func mark() throws(VirtualDeviceError) -> Mark {
        var copies: [VirtualDevice: Mark.Copy] = [:]
        for device in devices {
            let isUnlocked = device.isRunning ? try device.status.lockState == .unlocked : false
            copies[device] = Mark.Copy(
                directory: try TemporaryDirectory(copying: device.directory), passcode: device.passcode.withLock { $0 },
                isUnlocked: isUnlocked)
        }
        log.note("a mark")
        return Mark(at: log.now, copies, store.capture())
    }

    /// Makes a second device from the files that a device had at a mark: a clone, with the identity of the first one, which goes on.
    ///
    /// It has the passcode and the items of then, no apps, and the clock of the first one; it is unlocked if that one was.
    ///
    /// - Parameter name: nil for that of the device with a number.
    @discardableResult
    public func restore(
        _ device: VirtualDevice, from mark: Mark, as name: String? = nil
    ) throws(VirtualDeviceError) -> VirtualDevice {
        let original = member(device)
        let copy = copy(of: device, in: mark)
        let number = members.count { $0.name.hasPrefix(original.name) } + 1
        let twin = try add(
            name ?? "\(original.name) \(number)", in: TemporaryDirectory(copying: copy.directory.url),
            original.clock.copy())
        try wake(twin, as: copy)
        log.note("is made from the files of \(original.name) at \(mark.time)", of: twin.name)
        return twin
    }

    /// Sets a device back to the files that it had at a mark, as when it is restored from an old copy. Its clock goes on; it is unlocked
    /// if it was at the mark.
    public func setBack(_ device: VirtualDevice, to mark: Mark) throws(VirtualDeviceError) {
        let copy = copy(of: device, in: mark)
        try device.stop()
        try (device.stage as? EmbeddedStage)?.replaceFiles(by: copy.directory)
        try device.start()
        try wake(device, as: copy)
        log.note("is set back to \(mark.time)", of: device.name)
    }

    private func copy(of device: VirtualDevice, in mark: Mark) -> Mark.Copy {
        guard let copy = mark.copies[device] else {
            preconditionFailure("\(device) was not in the laboratory when the mark was made")
        }
        return copy
    }

    private func wake(_ device: VirtualDevice, as copy: Mark.Copy) throws(VirtualDeviceError) {
        device.passcode.withLock { $0 = copy.passcode }
        if copy.isUnlocked, let passcode = copy.passcode { try device.unlock(passcode) }
    }
}
