internal import LatchkeyPropertyListDER

/// A complete generation of zone keys: alone in a statement, or a part of a removal.
///
/// Epochs are named by the hash of their statement: concurrent ones can have the same number.
package struct Epoch: Hashable, Sendable {
    package let number: EpochNumber
    package let commitments: ZoneCommitments
    package let shares: [CircleParty: ZoneShares]
    /// The keys of earlier epochs. Each epoch wraps those that no other epoch has wrapped, so one share gives access to all of them.
    package let earlier: [ObjectHash: WrappedZoneKeys]

    package init(
        number: EpochNumber, commitments: ZoneCommitments, shares: [CircleParty: ZoneShares],
        earlier: [ObjectHash: WrappedZoneKeys] = [:]
    ) throws(StatementFailure) {
        guard number >= .first else { throw .badValue(field: "n") }
        guard shares.count <= StatementLimits.shares else {
            throw .tooMany(field: "s", found: shares.count, limit: StatementLimits.shares)
        }
        guard earlier.count <= StatementLimits.earlierEpochs else {
            throw .tooMany(field: "e", found: earlier.count, limit: StatementLimits.earlierEpochs)
        }
        self.number = number
        self.commitments = commitments
        self.shares = shares
        self.earlier = earlier
    }

    /// The devices that receive the keys from this epoch's own shares.
    package var recipients: Set<DeviceIdentifier> { Set(shares.keys.compactMap(\.device)) }
}

extension Epoch {
    var value: PropertyValue {
        .dictionary([
            "n": .integer(Int64(number.rawValue)),
            "k": .data(commitments.bytes),
            "s": Self.value(of: shares),
            "e": .array(earlier.sorted { $0.key < $1.key }.map { .data($0.key.bytes + $0.value.bytes) }),
        ])
    }

    init(_ value: PropertyValue, field: String) throws(StatementFailure) {
        var reader = try FieldReader(value, field: field)
        guard let number = UInt32(exactly: try reader.integer("n")) else { throw .badValue(field: "n") }
        let commitments = try ZoneCommitments(parsing: try reader.data("k"), field: "k")
        let shares = try Self.shares(&reader, "s")
        var earlier: [ObjectHash: WrappedZoneKeys] = [:]
        for entry in try reader.sortedData("e", limit: StatementLimits.earlierEpochs) {
            guard let hash = ObjectHash(entry.prefix(ObjectHash.byteCount)),
                let keys = WrappedZoneKeys(entry.dropFirst(ObjectHash.byteCount)),
                earlier.updateValue(keys, forKey: hash) == nil
            else { throw .badValue(field: "e") }
        }
        try reader.finish()
        try self.init(number: EpochNumber(number), commitments: commitments, shares: shares, earlier: earlier)
    }

    static func value(of shares: [CircleParty: ZoneShares]) -> PropertyValue {
        .array(shares.sorted { $0.key < $1.key }.map { .data($0.key.bytes + $0.value.bytes) })
    }

    /// Reads shares: for each receiver a party and its wrapped keys.
    static func shares(
        _ reader: inout FieldReader, _ key: String
    ) throws(StatementFailure) -> [CircleParty: ZoneShares] {
        var shares: [CircleParty: ZoneShares] = [:]
        for entry in try reader.sortedData(key, limit: StatementLimits.shares) {
            guard let party = CircleParty(entry.prefix(CircleParty.byteCount)),
                let share = ZoneShares(entry.dropFirst(CircleParty.byteCount)),
                shares.updateValue(share, forKey: party) == nil
            else { throw .badValue(field: key) }
        }
        return shares
    }
}
