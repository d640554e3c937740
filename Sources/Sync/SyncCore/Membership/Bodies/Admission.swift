internal import LatchkeyPropertyListDER

/// The admission of a device.
package struct Admission: Hashable, Sendable {
    /// The zone keys of one epoch, wrapped for the new device.
    package struct Share: Hashable, Sendable {
        /// The statement of the epoch.
        package let epoch: ObjectHash
        package let shares: ZoneShares

        package init(epoch: ObjectHash, shares: ZoneShares) {
            self.epoch = epoch
            self.shares = shares
        }
    }

    package let keys: DevicePublicKeys
    /// Nil if there is no epoch to write in; the next one includes the new device.
    package let share: Share?

    package init(keys: DevicePublicKeys, share: Share?) {
        self.keys = keys
        self.share = share
    }

    var value: PropertyValue {
        var fields: [String: PropertyValue] = ["k": .data(keys.bytes)]
        if let share { fields["s"] = .data(share.epoch.bytes + share.shares.bytes) }
        return .dictionary(fields)
    }

    init(_ value: PropertyValue) throws(StatementFailure) {
        var reader = try FieldReader(value, field: "b")
        keys = try DevicePublicKeys(parsing: try reader.data("k"), field: "k")
        if let bytes = try reader.optionalData("s") {
            guard let epoch = ObjectHash(bytes.prefix(ObjectHash.byteCount)),
                let shares = ZoneShares(bytes.dropFirst(ObjectHash.byteCount))
            else { throw .badValue(field: "s") }
            share = Share(epoch: epoch, shares: shares)
        } else {
            share = nil
        }
        try reader.finish()
    }
}
