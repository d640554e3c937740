/// The clock of the device: the row of `syncclock`.
package struct SyncClockRow: Sendable, Hashable {
    package let epoch: UInt32
    package let time: UInt64
    package let count: UInt32

    package init(epoch: UInt32, time: UInt64, count: UInt32) {
        self.epoch = epoch
        self.time = time
        self.count = count
    }
}

/// A snapshot of this device in the store: a row of `syncsnapshots`.
package struct SyncSnapshotRow: Sendable, Hashable {
    package let number: UInt64
    package let partCount: Int
    package let hash: [UInt8]
    /// Encoded by the caller.
    package let vector: [UInt8]
    package let byteCount: Int64
    /// The uptime at which it was written.
    package let written: UInt64
    package let wasReadBack: Bool

    package init(
        number: UInt64, partCount: Int, hash: [UInt8], vector: [UInt8], byteCount: Int64, written: UInt64,
        wasReadBack: Bool
    ) {
        self.number = number
        self.partCount = partCount
        self.hash = hash
        self.vector = vector
        self.byteCount = byteCount
        self.written = written
        self.wasReadBack = wasReadBack
    }
}

/// A wrapped key of an epoch: a row of `synckeys`.
package struct SyncKeyRow: Sendable, Hashable {
    /// The hash of the statement that contains the epoch.
    package let epoch: [UInt8]
    package let zone: UInt8
    package let number: UInt32
    package let wrapped: [UInt8]

    package init(epoch: [UInt8], zone: UInt8, number: UInt32, wrapped: [UInt8]) {
        self.epoch = epoch
        self.zone = zone
        self.number = number
        self.wrapped = wrapped
    }
}

/// A statement of the circle: a row of `syncstatements`.
package struct SyncStatementRow: Sendable, Hashable {
    package let hash: [UInt8]
    package let bytes: [UInt8]

    package init(hash: [UInt8], bytes: [UInt8]) {
        self.hash = hash
        self.bytes = bytes
    }
}

/// The names of single values in `syncvalues`. Values of other names belong to the caller.
package enum SyncValueName {
    /// The identifier of this device. Present exactly while the device is in a circle.
    package static let device = "device"
    /// 1 if the device knows the items of the circle: only then its calls have versions.
    package static let hasJoined = "has-joined"

    static let isTrue: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
}
