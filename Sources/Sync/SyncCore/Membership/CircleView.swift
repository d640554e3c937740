/// The result of the membership rules for the statements that a device holds: all that the item layer knows about membership.
package struct CircleView: Hashable, Sendable {
    /// The devices of the circle.
    package var members: Set<DeviceIdentifier>
    /// The devices that were removed, or left, and what of their streams still counts; and the devices whose every admission is void, of
    /// which nothing counts. A removed device stays here; one with a void admission can be admitted again.
    package var removed: [DeviceIdentifier: CountedSegments]
    /// The epoch that new segments are sealed in. Nil if one has to be created first.
    package var writingEpoch: EpochName?
    /// The greatest number of an epoch, also of one that no device may write in. Nil if there is none.
    package var newestEpoch: EpochNumber?
    /// The newest statements: those that no other statement names as its parent.
    package var statementHeads: Set<ObjectHash>
    /// The bytes that a device may have in the store before it publishes no further contents.
    package var storedByteLimit: Int64

    package init(
        members: Set<DeviceIdentifier> = [], removed: [DeviceIdentifier: CountedSegments] = [:],
        writingEpoch: EpochName? = nil, newestEpoch: EpochNumber? = nil, statementHeads: Set<ObjectHash> = [],
        storedByteLimit: Int64 = CircleSettings.defaultStoredByteLimit
    ) {
        self.members = members
        self.removed = removed
        self.writingEpoch = writingEpoch
        self.newestEpoch = newestEpoch ?? writingEpoch?.number
        self.statementHeads = statementHeads
        self.storedByteLimit = storedByteLimit
    }
}

/// Per zone the number of the last segment of a removed device that counts: what the author of the removal had applied.
///
/// Where several removals of a device took effect, those that are not void otherwise come first, then the other removals, then the
/// device's own `leave`. Among equals the greatest numbers count.
package struct CountedSegments: Hashable, Sendable {
    package var a: UInt64
    package var c: UInt64

    package init(a: UInt64 = 0, c: UInt64 = 0) {
        self.a = a
        self.c = c
    }

    package subscript(_ zone: ZoneClass) -> UInt64 {
        switch zone {
        case .a: a
        case .c: c
        }
    }

    /// Takes the greater number of each zone.
    package mutating func formUnion(_ other: CountedSegments) {
        a = max(a, other.a)
        c = max(c, other.c)
    }
}
