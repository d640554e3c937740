/// The length of zone key A, wrapped for one receiver: a point of P-256 (65), a ciphertext of ML-KEM-768 (1,088), a wrapped key (40).
package enum ShareAFormat: FixedFormat {
    package static let byteCount = 1193
}

/// The length of zone key C and the circle secret, wrapped for one receiver: as ``ShareAFormat`` with 72 bytes of wrapped keys.
package enum ShareCFormat: FixedFormat {
    package static let byteCount = 1225
}

/// The length of a commitment to a zone key.
package enum CommitmentFormat: FixedFormat {
    package static let byteCount = 32
}

/// The length of a zone key that is wrapped under the zone key of a later epoch.
package enum WrappedZoneKeyFormat: FixedFormat {
    package static let byteCount = 40
}

/// The zone keys of an epoch, wrapped for one receiver.
package struct ZoneShares: Hashable, Sendable {
    static let byteCount = ShareAFormat.byteCount + ShareCFormat.byteCount

    package let a: FixedBytes<ShareAFormat>
    package let c: FixedBytes<ShareCFormat>

    package init(a: FixedBytes<ShareAFormat>, c: FixedBytes<ShareCFormat>) {
        self.a = a
        self.c = c
    }

    var bytes: [UInt8] { a.bytes + c.bytes }

    init?(_ bytes: some Collection<UInt8>) {
        var reader = FixedBytesReader(bytes)
        guard let a = reader.next(FixedBytes<ShareAFormat>.self), let c = reader.next(FixedBytes<ShareCFormat>.self),
            reader.isAtEnd
        else { return nil }
        self.init(a: a, c: c)
    }
}

/// The commitments of an epoch to its zone keys: a receiver rejects keys that do not match.
package struct ZoneCommitments: Hashable, Sendable {
    package let a: FixedBytes<CommitmentFormat>
    package let c: FixedBytes<CommitmentFormat>

    package init(a: FixedBytes<CommitmentFormat>, c: FixedBytes<CommitmentFormat>) {
        self.a = a
        self.c = c
    }

    package var bytes: [UInt8] { a.bytes + c.bytes }

    init(parsing bytes: [UInt8], field: String) throws(StatementFailure) {
        var reader = FixedBytesReader(bytes)
        guard let a = reader.next(FixedBytes<CommitmentFormat>.self),
            let c = reader.next(FixedBytes<CommitmentFormat>.self), reader.isAtEnd
        else { throw .badValue(field: field) }
        self.init(a: a, c: c)
    }
}

/// The zone keys of an epoch, wrapped under those of a later one.
package struct WrappedZoneKeys: Hashable, Sendable {
    package let a: FixedBytes<WrappedZoneKeyFormat>
    package let c: FixedBytes<WrappedZoneKeyFormat>

    package init(a: FixedBytes<WrappedZoneKeyFormat>, c: FixedBytes<WrappedZoneKeyFormat>) {
        self.a = a
        self.c = c
    }

    var bytes: [UInt8] { a.bytes + c.bytes }

    init?(_ bytes: some Collection<UInt8>) {
        var reader = FixedBytesReader(bytes)
        guard let a = reader.next(FixedBytes<WrappedZoneKeyFormat>.self),
            let c = reader.next(FixedBytes<WrappedZoneKeyFormat>.self), reader.isAtEnd
        else { return nil }
        self.init(a: a, c: c)
    }
}
