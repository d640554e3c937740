/// A condition that `sync status` shows until it ends.
package enum SyncAlarm: Hashable, Sendable {
    /// This device was restored from a backup, or runs twice. It writes nothing more; `sync repair` gives it a new identity.
    case identityDuplicated
    /// The same of another device, from which nothing further is accepted.
    case deviceDuplicated(DeviceIdentifier)
    /// A member says that it has another segment of the stream under the same number. This proves nothing, but one of the two lies.
    case contradicted(StreamIdentifier, by: DeviceIdentifier)
    /// A member says that it has segments of this device that this device does not know. This proves nothing, but one of the two was
    /// restored or lies: nothing is published until the segment is found, the member takes it back, or the member is removed.
    case ownSegmentsUnknown(by: DeviceIdentifier)
    /// The store shows an older head of the device than it showed before.
    case storeRolledBack(DeviceIdentifier)
    /// Another member has segments of this stream, or its author named them, and the store does not show them.
    case withheld(StreamIdentifier)
    /// The head of the member names statements that the store does not show: this device may not know that another one was removed.
    case statementsWithheld(from: DeviceIdentifier)
    /// A segment of the device was skipped, because its signature is valid and its content is not.
    case malformed(DeviceIdentifier)
    /// The device has the same vector and other items. Must not happen among honest devices.
    case diverged(DeviceIdentifier)
    /// This device has as much in the store as the circle allows, and another snapshot would not change that: contents wait here.
    case storeLimitReached
}
