internal import LatchkeyPropertyListDER

/// Shares of an epoch for parties that lack them.
package struct Sharing: Hashable, Sendable {
    /// The statement of the epoch.
    package let epoch: ObjectHash
    package let shares: [CircleParty: ZoneShares]

    package init(epoch: ObjectHash, shares: [CircleParty: ZoneShares]) throws(StatementFailure) {
        guard shares.count <= StatementLimits.shares else {
            throw .tooMany(field: "s", found: shares.count, limit: StatementLimits.shares)
        }
        self.epoch = epoch
        self.shares = shares
    }

    var value: PropertyValue { .dictionary(["e": .data(epoch.bytes), "s": Epoch.value(of: shares)]) }

    init(_ value: PropertyValue) throws(StatementFailure) {
        var reader = try FieldReader(value, field: "b")
        guard let epoch = ObjectHash(try reader.data("e")) else { throw .badValue(field: "e") }
        let shares = try Epoch.shares(&reader, "s")
        try reader.finish()
        try self.init(epoch: epoch, shares: shares)
    }
}
