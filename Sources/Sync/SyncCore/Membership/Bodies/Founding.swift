internal import LatchkeyPropertyListDER

/// The foundation of a circle: signed with the founder's statement key and with the recovery key.
package struct Founding: Hashable, Sendable {
    package let keys: DevicePublicKeys
    package let recovery: RecoveryPublicKeys
    package let settings: CircleSettings

    package init(keys: DevicePublicKeys, recovery: RecoveryPublicKeys, settings: CircleSettings) {
        self.keys = keys
        self.recovery = recovery
        self.settings = settings
    }

    var value: PropertyValue {
        .dictionary(["k": .data(keys.bytes), "r": .data(recovery.bytes), "s": settings.value])
    }

    init(_ value: PropertyValue) throws(StatementFailure) {
        var reader = try FieldReader(value, field: "b")
        keys = try DevicePublicKeys(parsing: try reader.data("k"), field: "k")
        recovery = try RecoveryPublicKeys(parsing: try reader.data("r"), field: "r")
        settings = try CircleSettings(try reader.required("s"), field: "s")
        try reader.finish()
    }
}
