package import LatchkeyAccessControl
package import LatchkeyPropertyListDER

/// The attributes of one item as a row holds them, apart from its secret.
package struct StoredItem: Sendable {
    package var itemClass: ItemClass
    /// Attributes of the schema that are set, as stored; parts of the primary key are filled with their defaults.
    package var attributes: [AttributeName: PropertyValue]
    package var accessGroup: String
    /// That of the row. What stands for a key of the enclave has another one in its access control.
    package var accessible: ProtectionClass
    package var accessControl: AccessControl
    package var isSynchronizable: Bool
    /// Seconds since 2001-01-01 00:00:00 UTC, to the microsecond.
    package var creationDate: Double
    package var modificationDate: Double
    /// 16 bytes, kept through every update: see ``PersistentReference``.
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

    /// What makes the item unique, as bytes: the parts in the order of the schema, each with its length, and a mark
    /// that tells an absent part from an empty one. Access group, synchronizability and user belong to it.
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

    /// The dictionary whose encoding, with the secret as `v_Data`, is digested into `sha1` (Reference 5.1).
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

    /// What a caller gets as attributes. A find shows user and tombstone mark too; neither shows the class.
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
            dictionary[.tombstone] = .integer(0)
        }
        return dictionary
    }
}
