internal import LatchkeyPropertyListDER

/// New recovery keys, which replace the current ones. Their signing key signs the statement too.
package struct RecoveryReplacement: Hashable, Sendable {
    package let keys: RecoveryPublicKeys

    package init(keys: RecoveryPublicKeys) {
        self.keys = keys
    }

    var value: PropertyValue { .dictionary(["r": .data(keys.bytes)]) }

    init(_ value: PropertyValue) throws(StatementFailure) {
        var reader = try FieldReader(value, field: "b")
        keys = try RecoveryPublicKeys(parsing: try reader.data("r"), field: "r")
        try reader.finish()
    }
}
