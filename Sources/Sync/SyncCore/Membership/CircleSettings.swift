internal import LatchkeyPropertyListDER

/// The name of an access group, compared by bytes.
package struct GroupName: Hashable, Sendable, Comparable {
    package let bytes: [UInt8]

    /// Returns nil if there are no bytes, or more than ``StatementLimits/groupByteCount``.
    package init?(_ bytes: some Collection<UInt8>) {
        guard !bytes.isEmpty, bytes.count <= StatementLimits.groupByteCount else { return nil }
        self.bytes = Array(bytes)
    }

    package static func < (left: Self, right: Self) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

/// The settings of a circle.
package struct CircleSettings: Hashable, Sendable {
    package static let defaultStoredByteLimit: Int64 = 256 << 20

    /// Groups that take part although they are local by default.
    package let allowedGroups: Set<GroupName>
    /// Of all objects in the store.
    package let storedByteLimit: Int64

    package init(
        allowedGroups: Set<GroupName> = [], storedByteLimit: Int64 = defaultStoredByteLimit
    ) throws(StatementFailure) {
        guard allowedGroups.count <= StatementLimits.groups else {
            throw .tooMany(field: "g", found: allowedGroups.count, limit: StatementLimits.groups)
        }
        guard storedByteLimit > 0 else { throw .badValue(field: "l") }
        self.allowedGroups = allowedGroups
        self.storedByteLimit = storedByteLimit
    }
}

extension CircleSettings {
    var value: PropertyValue {
        .dictionary([
            "g": .array(allowedGroups.sorted().map { .data($0.bytes) }),
            "l": .integer(storedByteLimit),
        ])
    }

    init(_ value: PropertyValue, field: String) throws(StatementFailure) {
        var reader = try FieldReader(value, field: field)
        var groups: Set<GroupName> = []
        for bytes in try reader.sortedData("g", limit: StatementLimits.groups) {
            guard let group = GroupName(bytes) else { throw .badValue(field: "g") }
            groups.insert(group)
        }
        let limit = try reader.integer("l")
        try reader.finish()
        try self.init(allowedGroups: groups, storedByteLimit: limit)
    }
}
