import Foundation
import LatchkeyKeychainMessages
import Synchronization

extension VirtualDevice {
    /// Waits until other devices have changed items of this one.
    ///
    /// A device of a ``SyncLaboratory`` lets the virtual time of its laboratory pass, in which the devices exchange what they have.
    ///
    /// A device of processes waits for its daemon, which exchanges items by itself once `latchkey sync` has brought the device into a
    /// circle. Changes count from the last wait on, or from the start of the daemon: none is missed that came before this call.
    ///
    /// - Parameter limit: the longest time for which a device of processes waits.
    /// - Throws: ``VirtualDeviceError/Code/syncFailed`` if nothing is on its way to the device or nothing comes in time, or if it is in no
    ///   circle.
    public func awaitRemoteChange(within limit: Duration = .seconds(60)) throws(VirtualDeviceError) {
        guard backend == .embedded else { return try awaitDaemon(within: limit) }
        guard let laboratory = laboratory.withLock({ $0?.laboratory }) else {
            throw failure("The device shares its items with no other.", "Make it with SyncLaboratory(devices:).")
        }
        let member = laboratory.member(self)
        let before = member.remoteChanges
        try laboratory.run { _ in member.remoteChanges != before }
        guard member.remoteChanges != before else {
            throw failure(
                "No change of another device is on its way.",
                "Change an item on another device first, and unlock both.")
        }
    }

    private func awaitDaemon(within limit: Duration) throws(VirtualDeviceError) {
        guard try answer(to: DescribeCircle(), "awaitRemoteChange").membership != .none else {
            throw failure(
                "The device shares its items with no other.",
                "Bring it into a circle: latchkey sync join --device dir:\(directory.path).")
        }
        let end = ContinuousClock.now + limit
        var progress = try answer(to: AwaitSync(after: nil), "awaitRemoteChange")
        while !takeRemoteChanges(progress.remoteChanges) {
            let left = end - ContinuousClock.now
            guard left > .zero else {
                throw failure(
                    "No change of another device came in \(limit).",
                    "Change an item on another device first, and unlock both; latchkey sync status shows what is waited for."
                )
            }
            let seconds = min(AwaitSync.secondLimit, left.components.seconds + 1)
            progress = try answer(to: AwaitSync(after: progress.number, seconds: seconds), "awaitRemoteChange")
        }
    }

    /// Notes the number of changes since the start of the daemon; returns false if there are no more than were noted last.
    private func takeRemoteChanges(_ number: Int64) -> Bool {
        remoteChanges.withLock { known in
            // The daemon was killed by something else than this device.
            if number < known { known = 0 }
            defer { known = number }
            return number > known
        }
    }

    /// The next daemon counts from zero.
    func forgetRemoteChanges() { remoteChanges.withLock { $0 = 0 } }

    private func failure(_ reason: String, _ advice: String) -> VirtualDeviceError {
        VirtualDeviceError(.syncFailed, "awaitRemoteChange", reason: reason, advice: advice, of: self)
    }
}
