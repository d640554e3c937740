/// The hybrid clock of a device: the greatest epoch, time and count that the device has written, applied or loaded, and the first of each
/// epoch that it has learned to write in.
///
/// The clock belongs to the device, not to the item. With a clock for each item, an item that is added again after its tombstone was
/// dropped could get a lower version than the tombstone that another device still holds.
package struct DeviceClock: Hashable, Sendable, Comparable {
    package private(set) var epoch: EpochNumber
    /// Microseconds since 2001-01-01 00:00:00 UTC.
    package private(set) var time: UInt64
    package private(set) var count: UInt32

    package init(epoch: EpochNumber = .first, time: UInt64 = 0, count: UInt32 = 0) {
        self.epoch = epoch
        self.time = time
        self.count = count
    }

    package init(_ version: ItemVersion) {
        self.init(epoch: version.epoch, time: version.time, count: version.count)
    }

    /// The version of a device whose clock this is.
    package func version(of device: DeviceIdentifier) -> ItemVersion {
        ItemVersion(epoch: epoch, time: time, count: count, device: device)
    }

    /// Moves the clock forward, to what no version before has, and returns it.
    /// - Parameters:
    ///   - epoch: the epoch that the device writes in.
    ///   - wallClock: the time by the clock of the device, which may be wrong by years or may have gone back.
    /// - Returns: nil if the epoch is older than the clock, or if the epoch has no greater version left: an epoch has to be created first.
    package mutating func next(in epoch: EpochNumber, wallClock: UInt64) -> DeviceClock? {
        if epoch < self.epoch { return nil }
        var next = DeviceClock(epoch: epoch, time: wallClock)
        if epoch == self.epoch, wallClock <= time {
            next.time = time
            if count < .max {
                next.count = count + 1
            } else {
                guard time < .max else { return nil }
                next.time = time + 1
            }
        }
        self = next
        return next
    }

    /// Moves the clock forward some times, and returns each stop.
    /// - Returns: nil if the epoch has not as many left, or is older than the clock, which then stays.
    package mutating func next(_ count: Int, in epoch: EpochNumber, wallClock: UInt64) -> [DeviceClock]? {
        var (clock, clocks) = (self, [DeviceClock]())
        for _ in 0..<count {
            guard let next = clock.next(in: epoch, wallClock: wallClock) else { return nil }
            clocks.append(next)
        }
        self = clock
        return clocks
    }

    /// Moves the clock to `other` if that is later.
    package mutating func advance(to other: DeviceClock) {
        self = max(self, other)
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.epoch, left.time, left.count) < (right.epoch, right.time, right.count)
    }
}
