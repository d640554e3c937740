package import LatchkeyAccessControl
package import LatchkeyPropertyListDER

/// The attributes of one item as stored in its row, without its secret.
package struct StoredItem: Sendable {
    package var itemClass: ItemClass
    /// The attributes of the schema that are set, in stored form. Unset parts of the primary key have their defaults.
    package var attributes: [AttributeName: PropertyValue]
    package var accessGroup: String
    /// The protection class of the row. For an item that represents an enclave key, the key's own class is in its
    /// access control.
    package var accessible: ProtectionClass
    package var accessControl: AccessControl
    package var isSynchronizable: Bool
    /// True for what is left of a deleted item: its primary key.
    package var isTombstone = false
    /// Seconds since 2001-01-01 00:00:00 UTC, to the microsecond.
    package var creationDate: Double
    package var modificationDate: Double
    /// 16 bytes that never change, not even by an update: see ``PersistentReference``.
    package var identifier: [UInt8]

    package init(
        itemClass: ItemClass, attributes: [AttributeName: PropertyValue], accessGroup: String,
        accessible: ProtectionClass, accessControl: AccessControl, isSynchronizable: Bool, creationDate: Double,
        modificationDate: Double,
        identifier: [UInt8]
    ) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.accessGroup = accessGroup
        self.accessible = accessible
        self.accessControl = accessControl
        self.isSynchronizable = isSynchronizable
        self.creationDate = creationDate
        self.modificationDate = modificationDate
        self.identifier = identifier
    }

    package var persistentReference: [UInt8] {
        PersistentReference.identifier(itemClass, identifier).bytes
    }

    /// The bytes that make the item unique: the parts of the primary key in the order of the schema, each with its
    /// length and a mark that distinguishes an absent part from an empty one. Access group, synchronizability and user
    /// are included.
    package var primaryKeyBytes: [UInt8] {
        var bytes: [UInt8] = []
        for attribute in ItemSchema.of(itemClass)?.primaryKey ?? [] {
            guard let value = attributes[attribute.name] ?? attribute.defaultValue else {
                bytes.append(0)
                continue
            }
            Self.append(AttributeKind.canonicalBytes(of: value), to: &bytes)
        }
        Self.append(Array(accessGroup.utf8), to: &bytes)
        bytes.append(isSynchronizable ? 1 : 0)
        return bytes
    }

    private static func append(_ part: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(1)
        unsafe withUnsafeBytes(of: UInt32(part.count).bigEndian) { unsafe bytes.append(contentsOf: $0) }
        bytes += part
    }

    /// The dictionary that is encoded with the secret as `v_Data`, and digested into `sha1` (Reference 5.1).
    package var digestedAttributes: [String: PropertyValue] {
        var dictionary = attributes.byColumn
        dictionary[.digest] = nil
        dictionary[.isSystemBound] = nil
        dictionary[.accessGroup] = .string(accessGroup)
        dictionary[.accessible] = .string(accessible.rawValue)
        dictionary[.synchronizable] = .integer(isSynchronizable ? 1 : 0)
        dictionary[.tombstone] = .integer(0)
        dictionary[.creationDate] = .date(creationDate)
        dictionary[.modificationDate] = .date(modificationDate)
        return dictionary
    }

    /// The digested attributes without dates and tombstone mark: equal items have equal ones, whenever and wherever they
    /// were written.
    package var contentAttributes: [String: PropertyValue] {
        var dictionary = digestedAttributes
        for name in [AttributeName.creationDate, .modificationDate, .tombstone] { dictionary[name] = nil }
        return dictionary
    }

    /// Returns the attributes for a caller. A find also returns user and tombstone mark; neither call returns the
    /// class.
    package func returnedAttributes(toFind: Bool) -> [String: PropertyValue] {
        var dictionary = attributes.byColumn
        dictionary[.accessGroup] = .string(accessGroup)
        dictionary[.accessible] = .string(accessible.rawValue)
        dictionary[.accessControl] = accessControl.value
        dictionary[.synchronizable] = .integer(isSynchronizable ? 1 : 0)
        dictionary[.creationDate] = .date(creationDate)
        dictionary[.modificationDate] = .date(modificationDate)
        if toFind {
            dictionary[.multiUser] = .data([])
            dictionary[.tombstone] = .integer(isTombstone ? 1 : 0)
        }
        return dictionary
    }
}
