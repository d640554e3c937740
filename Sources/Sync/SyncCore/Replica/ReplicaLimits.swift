/// The sizes and intervals of the protocol. Times are in microseconds.
package struct ReplicaLimits: Hashable, Sendable {
    package static let second: UInt64 = 1_000_000
    package static let minute = 60 * second
    package static let hour = 60 * minute
    package static let day = 24 * hour

    package var recordsInSegment = 256
    /// A record that is larger has a segment of its own.
    package var bytesInSegment = 256 << 10
    package var bytesInSnapshotPart = 512 << 10
    /// The records that are sealed for one head. More of them follow with the next one, so that no event takes long.
    package var recordsInPublication = 2_048
    /// The segments that one round of reading asks for.
    package var segmentsInRound = 256
    /// The sealed bytes after which an event opens no further segment: opened ones stay in locked memory until it ends.
    package var bytesOpenedInEvent = 1 << 20
    /// A device that retains more segments in the store writes a snapshot.
    package var retainedSegments = 1_000
    /// The same for the bytes of the retained segments, as a multiple of the last snapshot's.
    package var retainedRatio = 4
    package var acknowledgementInterval: UInt64
    package var withholdingInterval: UInt64
    package var headInterval = day
    /// The time that each member waits for those before it to write a snapshot for a member that needs one.
    package var snapshotTurn = 5 * second
    /// The time after which a snapshot whose key was missing is fetched again, although nothing has changed.
    package var snapshotRetry = hour
    package var previousSnapshotAge = day
    package var strayAge = 7 * day
    package var shortestRetry = second
    package var longestRetry = 5 * minute
    /// The time after which a question to the store counts as lost.
    package var answerTime = 10 * second

    /// The limits for a store that shows objects within seconds.
    package static let quickStore = ReplicaLimits(
        acknowledgementInterval: 30 * second, withholdingInterval: 15 * minute)
    /// The limits for a folder that another program copies between the devices.
    package static let folder = ReplicaLimits(acknowledgementInterval: 5 * minute, withholdingInterval: 24 * hour)

    private init(acknowledgementInterval: UInt64, withholdingInterval: UInt64) {
        self.acknowledgementInterval = acknowledgementInterval
        self.withholdingInterval = withholdingInterval
    }
}
