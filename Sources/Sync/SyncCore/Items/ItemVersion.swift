/// The version of an item: all devices order the versions of an item in the same way, tombstones included.
///
/// Written as 32 bytes, big-endian, whose order is that of the fields: epoch (4), time (8), count (4), device (16). The epoch comes first,
/// so a member with an extreme clock loses to everything written after its removal.
package struct ItemVersion: Hashable, Sendable, Comparable {
    package static let byteCount = 32

    package let epoch: EpochNumber
    /// Microseconds since 2001-01-01 00:00:00 UTC, by the clock of the device that wrote it.
    package let time: UInt64
    /// Tells apart what one device wrote in one microsecond.
    package let count: UInt32
    package let device: DeviceIdentifier

    package init(epoch: EpochNumber, time: UInt64, count: UInt32, device: DeviceIdentifier) {
        self.epoch = epoch
        self.time = time
        self.count = count
        self.device = device
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.epoch, left.time, left.count, left.device) < (right.epoch, right.time, right.count, right.device)
    }
}
