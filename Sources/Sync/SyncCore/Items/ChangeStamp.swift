/// The part of its version that a change has before it is published. The transaction that wrote it has made it, and nothing that comes later
/// moves it.
///
/// The moment at which a background worker meets a change tells nothing about its order: an older change of a device that was paused would
/// win over a newer one of another device.
package enum ChangeStamp: Hashable, Sendable {
    /// The version but for the device, made from the stored clock in the transaction of the call.
    case made(DeviceClock)
    /// A call in an epoch that has no version left. The transaction that learns of a later epoch makes its version.
    case awaitsEpoch(after: EpochNumber)
    /// The row was there before the circle, its group was allowed later, or it was restored. Its modification date decides until it is
    /// published, and it gets its version with its segment.
    /// - Parameter isRestored: true for a row of a backup, which loses to a deletion that is newer.
    case none(isRestored: Bool)
    /// The version is made when the replica meets the change: shows in tests what goes wrong then.
    case testOnlyWhenMet
}

/// A local change with what it has of its version.
package struct StampedChange: Hashable, Sendable {
    package let change: LocalChange
    package let stamp: ChangeStamp

    package init(_ change: LocalChange, _ stamp: ChangeStamp) {
        self.change = change
        self.stamp = stamp
    }
}
