/// The signed summary of a device: its streams, what it has applied, and the statements it knows.
///
/// Heads are passed on and kept much more often than they are made: what they say is stored once.
package struct Head: Hashable, Sendable {
    private let contents: Contents

    private final class Contents: Sendable {
        let device: DeviceIdentifier
        let number: UInt64
        let date: UInt64
        let body: Body
        let hash: ObjectHash

        init(device: DeviceIdentifier, number: UInt64, date: UInt64, body: Body, hash: ObjectHash) {
            self.device = device
            self.number = number
            self.date = date
            self.body = body
            self.hash = hash
        }
    }

    /// The content other than number and date. A head is rewritten if it changed.
    package struct Body: Hashable, Sendable {
        package var statementHeads: Set<ObjectHash>
        package var streams: PerZone<StreamSummary>
        package var snapshot: SnapshotReference?
        /// The segments that the device has applied, its own included.
        package var vector: VersionVector
        /// The beginning of the hash of the last segment of each stream that the device has applied, where it knows it: two devices with
        /// different segments under one number find out.
        package var marks: StreamTable<SegmentMark>
        /// Nil while changes of the device wait for their segments: its items are then not those of the vector.
        package var digest: StateDigest?
        package var clock: DeviceClock
        /// False while the device reads what the circle has before it publishes its own items.
        package var hasJoined: Bool

        package init(
            statementHeads: Set<ObjectHash>, streams: PerZone<StreamSummary>, snapshot: SnapshotReference?,
            vector: VersionVector, marks: StreamTable<SegmentMark> = [:], digest: StateDigest?,
            clock: DeviceClock, hasJoined: Bool = true
        ) {
            self.statementHeads = statementHeads
            self.streams = streams
            self.snapshot = snapshot
            self.vector = vector
            self.marks = marks
            self.digest = digest
            self.clock = clock
            self.hasJoined = hasJoined
        }

        /// Returns true if the device cannot have written this before `other`: it has segments that it did not have then, and lacks none.
        package func goesBeyond(_ other: Body) -> Bool { vector != other.vector && vector.covers(other.vector) }

        /// Returns true if more changed than acknowledgements, which can wait.
        package func isNews(comparedWith other: Body) -> Bool {
            streams.a.last != other.streams.a.last || streams.c.last != other.streams.c.last
                || snapshot != other.snapshot || statementHeads != other.statementHeads || hasJoined != other.hasJoined
        }
    }

    package init(device: DeviceIdentifier, number: UInt64, date: UInt64, body: Body, hash: ObjectHash) {
        contents = Contents(device: device, number: number, date: date, body: body, hash: hash)
    }

    package var device: DeviceIdentifier { contents.device }
    /// Greater with each head that a device writes.
    package var number: UInt64 { contents.number }
    /// By the clock of the device.
    package var date: UInt64 { contents.date }
    package var body: Body { _read { yield contents.body } }
    package var hash: ObjectHash { contents.hash }

    package static func == (left: Self, right: Self) -> Bool {
        left.hash == right.hash && left.number == right.number && left.device == right.device
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

/// The segments of a stream that are in the store: none if `first` is greater than `last`.
package struct StreamSummary: Hashable, Sendable {
    package var first: UInt64
    package var last: UInt64
    /// The hash of the last segment.
    package var hash: ObjectHash?

    package init(first: UInt64 = 1, last: UInt64 = 0, hash: ObjectHash? = nil) {
        self.first = first
        self.last = last
        self.hash = hash
    }
}
