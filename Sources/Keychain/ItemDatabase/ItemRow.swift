package import LatchkeyItemModel

/// The state of a row's binding: whether its sealed attributes are bound to its item key, and thereby to its secret
/// (`Docs/Formats/item-database.md`).
package enum RowBinding: Sendable, Hashable {
    /// Not bound: a row of format 4 or older.
    case none
    case withoutSecret
    case withSecret
    /// A number that no version writes.
    case unknown
}

/// One row of an item table as stored: values in clear, and sealed values.
package struct ItemRow: Sendable {
    /// From ``ItemDatabase/newRowNumber(at:)``.
    package var rowID: Int64
    package var itemClass: ItemClass
    package var accessGroup: String
    /// The number of the protection class (6 to 12).
    package var keyClass: UInt8
    package var isSynchronizable: Bool
    package var isTombstone: Bool
    /// Microseconds since 2001-01-01 00:00:00 UTC.
    package var creationDate: Int64
    package var modificationDate: Int64
    /// The 16 bytes of the persistent reference.
    package var identifier: [UInt8]
    /// The 16 bytes that identify the item for sync.
    package var syncIdentifier: [UInt8]
    /// The token of the whole primary key; unique in the table. The tokens of the attributes in `ItemTables.place` are
    /// always set.
    package var primaryKey: [UInt8]
    /// Search tokens by attribute name.
    package var tokens: [AttributeName: [UInt8]]
    package var binding: RowBinding
    /// AES-256-GCM under the metadata key of the protection class.
    package var sealedAttributes: [UInt8]
    /// AES-256-GCM under the item key; nil for an item without data.
    package var sealedSecret: [UInt8]?
    /// The item key, wrapped by the enclave; nil for an item without data.
    package var wrappedItemKey: [UInt8]?
    /// The place of the row among the shared ones once it is written. Not a column: a row that was read has the default.
    package var listing = RowListing.unlisted(.here)

    package init(
        rowID: Int64, itemClass: ItemClass, accessGroup: String, keyClass: UInt8, isSynchronizable: Bool,
        isTombstone: Bool = false, creationDate: Int64, modificationDate: Int64, identifier: [UInt8],
        syncIdentifier: [UInt8], primaryKey: [UInt8], tokens: [AttributeName: [UInt8]], binding: RowBinding,
        sealedAttributes: [UInt8], sealedSecret: [UInt8]?, wrappedItemKey: [UInt8]?
    ) {
        self.rowID = rowID
        self.itemClass = itemClass
        self.accessGroup = accessGroup
        self.keyClass = keyClass
        self.isSynchronizable = isSynchronizable
        self.isTombstone = isTombstone
        self.creationDate = creationDate
        self.modificationDate = modificationDate
        self.identifier = identifier
        self.syncIdentifier = syncIdentifier
        self.primaryKey = primaryKey
        self.tokens = tokens
        self.binding = binding
        self.sealedAttributes = sealedAttributes
        self.sealedSecret = sealedSecret
        self.wrappedItemKey = wrappedItemKey
    }

    /// True if the persistent reference begins with the row number, as it does for every item created here.
    var isNamedByReference: Bool { PersistentReference.row(ofIdentifier: identifier) == rowID }
}

/// The conditions that select rows. The database tests all of them without a key.
package struct RowFilter: Sendable {
    package var itemClass: ItemClass
    /// Nil for every group.
    package var accessGroups: [String]?
    /// Access groups of which only the given items match.
    package var adoptedItems: [String: AdoptedItems] = [:]
    package var isSynchronizable: Bool?
    package var isTombstone: Bool? = false
    package var keyClass: UInt8?
    package var creationDate: Int64?
    package var modificationDate: Int64?
    package var identifier: [UInt8]?
    package var rowID: Int64?
    /// Only these rows, 1 to ``numberLimit``; nil for every row.
    package var numbers: ArraySlice<Int64>?
    package var tokens: [(name: AttributeName, token: [UInt8])] = []

    /// The number of rows that ``numbers`` can name.
    package static let numberLimit = 256

    package init(itemClass: ItemClass) {
        self.itemClass = itemClass
    }

    /// Returns true if every one of the attributes has a token.
    func hasTokens(for names: [AttributeName]) -> Bool {
        names.allSatisfy { name in tokens.contains { $0.name == name } }
    }
}
