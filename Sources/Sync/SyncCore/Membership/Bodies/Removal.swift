internal import LatchkeyPropertyListDER

/// The removal of a device, with the epoch that excludes it: one object, so an interruption leaves both or neither.
package struct Removal: Hashable, Sendable {
    package let device: DeviceIdentifier
    /// The last segments of the device's streams that the author had applied.
    package let counted: CountedSegments
    /// True if the device is to delete its synced items.
    package let erases: Bool
    package let epoch: Epoch
    /// Needed if the removed device knows the current recovery code. Their signing key signs the removal too.
    package let recovery: RecoveryPublicKeys?

    package init(
        device: DeviceIdentifier, counted: CountedSegments, erases: Bool, epoch: Epoch,
        recovery: RecoveryPublicKeys? = nil
    ) {
        self.device = device
        self.counted = counted
        self.erases = erases
        self.epoch = epoch
        self.recovery = recovery
    }

    var value: PropertyValue {
        var fields: [String: PropertyValue] = [
            "d": .data(device.bytes), "n": .data(counted.bytes), "x": .boolean(erases), "e": epoch.value,
        ]
        if let recovery { fields["r"] = .data(recovery.bytes) }
        return .dictionary(fields)
    }

    init(_ value: PropertyValue) throws(StatementFailure) {
        var reader = try FieldReader(value, field: "b")
        guard let device = DeviceIdentifier(try reader.data("d")) else { throw .badValue(field: "d") }
        self.device = device
        counted = try CountedSegments(parsing: try reader.data("n"), field: "n")
        erases = try reader.boolean("x")
        epoch = try Epoch(try reader.required("e"), field: "e")
        if let bytes = try reader.optionalData("r") {
            recovery = try RecoveryPublicKeys(parsing: bytes, field: "r")
        } else {
            recovery = nil
        }
        try reader.finish()
    }
}

extension CountedSegments {
    var bytes: [UInt8] { a.bigEndianBytes + c.bigEndianBytes }

    init(parsing bytes: [UInt8], field: String) throws(StatementFailure) {
        guard let a = UInt64(bigEndianBytes: bytes.prefix(8)), let c = UInt64(bigEndianBytes: bytes.dropFirst(8)) else {
            throw .badValue(field: field)
        }
        self.init(a: a, c: c)
    }
}
