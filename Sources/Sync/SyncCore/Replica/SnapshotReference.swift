internal import LatchkeyCryptoSuite

/// A snapshot as a head names it. The vector says whom it helps before it is fetched.
package struct SnapshotReference: Hashable, Sendable {
    package let number: UInt64
    /// From 1.
    package let partCount: Int
    /// SHA-256 over the hashes of the parts.
    package let hash: ObjectHash
    package let vector: VersionVector

    package init(number: UInt64, partCount: Int, hash: ObjectHash, vector: VersionVector) {
        self.number = number
        self.partCount = partCount
        self.hash = hash
        self.vector = vector
    }

    package init(number: UInt64, parts: [ObjectHash], vector: VersionVector) {
        self.init(number: number, partCount: parts.count, hash: Self.hash(of: parts), vector: vector)
    }

    /// Returns true if these are the parts of the snapshot.
    package func consists(of parts: [ObjectHash]) -> Bool {
        parts.count == partCount && Self.hash(of: parts) == hash
    }

    package func names(of device: DeviceIdentifier) -> [ObjectName] {
        (0..<partCount).map { .snapshotPart(device, number: number, part: $0) }
    }

    private static func hash(of parts: [ObjectHash]) -> ObjectHash {
        guard let hash = ObjectHash(sha256(parts.flatMap(\.bytes))) else { preconditionFailure("SHA-256 has 32 bytes") }
        return hash
    }
}

/// A snapshot of this device in the store.
package struct OwnSnapshot: Hashable, Sendable {
    package let reference: SnapshotReference
    /// Of all parts.
    package let byteCount: Int
    /// The uptime at which it was written.
    package let writtenAt: UInt64
    /// The store returned it as it was written. Only then it stands for segments.
    package var wasReadBack: Bool

    package init(reference: SnapshotReference, byteCount: Int, writtenAt: UInt64, wasReadBack: Bool = false) {
        self.reference = reference
        self.byteCount = byteCount
        self.writtenAt = writtenAt
        self.wasReadBack = wasReadBack
    }
}
