/// The rules that a test can switch off one at a time, to show that each is needed. Programs use ``all``.
package struct ReplicaRules: Hashable, Sendable {
    package static let all = ReplicaRules()

    /// The hybrid clock belongs to the device. Off: each item has a clock of its own.
    package var testOnlyDeviceClock = true
    /// Records of a removed device beyond its counted segments are published again by a member that has them.
    package var testOnlyAdoption = true
    /// The author of a removal writes a snapshot, and members write one for a member that lacks segments of a removed device.
    package var testOnlyRemovalSnapshot = true
    /// A local row that a snapshot covers and does not contain was deleted.
    package var testOnlyAbsentMeansDeleted = true
    /// A record of a snapshot that this device has applied and no longer has is outdated.
    package var testOnlySkipsOutdated = true
    /// A tombstone stays until this device has read what the acknowledging members had written.
    package var testOnlyReadsBeforeForgetting = true
    /// Acknowledgements count only if this device knows the statements of their heads.
    package var testOnlyNeedsStatements = true
    /// A version that loses is kept unless the winner's author had applied it. Off: unless it is not greater than the winner's base.
    package var testOnlyVectorsDecideConflicts = true
    /// A segment stays in the store until a snapshot covers it. Off: until each member has applied it.
    package var testOnlySegmentsNeedSnapshot = true
    /// A tombstone stays until this device has what the acknowledging members had applied of removed devices.
    package var testOnlyReadsRemovedBeforeForgetting = true
    /// A device has joined when it has applied a head that knows of its admission. Off: any head.
    package var testOnlyJoinsByKnowingHead = true
    /// Tombstones are kept. Off: they are dropped as soon as they are published.
    package var testOnlyKeepsTombstones = true
    /// The own head in the store is compared before publishing.
    package var testOnlyChecksOwnHead = true
    /// Versions that are received raise the clock.
    package var testOnlyReceivedRaisesClock = true
    /// Learning of an epoch to write in raises the clock.
    package var testOnlyEpochRaisesClock = true
    /// A call whose version is not greater than the known one loses.
    package var testOnlyKeptVersionsLose = true
    /// While a row that a call has written has no name, nothing is applied. The second switch is that for segments of zone A.
    package var testOnlyWaitsForNames = true
    package var testOnlyZoneAWaitsForNames = true
    /// Calls from before the device had joined have no version.
    package var testOnlyJoiningDropsVersions = true
    /// A row without a version gets it with its segment. Off: when the replica meets it.
    package var testOnlyUnversionedWaits = true

    package init() {}
}
