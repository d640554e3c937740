/// Limits of the parts of heads, segments, snapshots and requests (Docs/Formats/sync.md).
package enum ObjectLimits {
    /// Devices that a vector names: members, and those that were.
    package static let devicesInVector = 160
    package static let statementHeads = 256
    /// The last number of a segment: numbers can always be counted on.
    package static let segmentNumber: UInt64 = 1 << 62
    package static let snapshotParts = 4_096
    /// Of the sealed name and system of a device.
    package static let labelByteCount = 1_024
    /// Of records in one segment or part.
    package static let records = 16_384
    package static let recordByteCount = 1 << 20
    /// Of the property list of a record.
    static let values = 64
    static let depth = 3
    /// Of the property list of an object.
    static let valuesInObject = 1_024
    static let depthOfObject = 4
    /// Nonce and tag of a sealed body.
    package static let sealingByteCount = 12 + 16
}
