import LatchkeyAccessControl
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeybag
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The part of a query that the database can test without keys.
enum RowSearch {
    /// Returns nil if no row can match: an object that no token has.
    static func filter(_ query: ItemQuery, groups: [String]?, searchKey: SecretBox) -> RowFilter? {
        var filter = RowFilter(itemClass: query.itemClass)
        filter.isTombstone = query.asksForTombstones
        filter.accessGroups = groups
        filter.adoptedItems = query.adoptedItems
        filter.keyClass = query.accessible.flatMap { KeyClass($0)?.rawValue }
        filter.creationDate = query.creationDate.map { AttributeKind.microseconds($0) }
        filter.modificationDate = query.modificationDate.map { AttributeKind.microseconds($0) }
        switch query.persistentReference {
        case .identifier(_, let identifier)?: filter.identifier = identifier
        case .row(_, let rowID)?: filter.rowID = rowID
        case .token?, nil: break
        }
        switch query.synchronizable {
        case .any?: break
        case .synchronizable?: filter.isSynchronizable = true
        case .local?: filter.isSynchronizable = false
        case nil: if query.persistentReference == nil { filter.isSynchronizable = false }
        }
        let tokens = SearchTokens(key: searchKey, itemClass: query.itemClass)
        filter.tokens = query.attributes.filter { query.hasToken($0.key) }.sorted { $0.key < $1.key }
            .map { tokens.condition($0.key, is: $0.value) }
        if query.itemClass == .key, let object = query.tokenObject {
            guard let label = EnclaveKeyRecord.label(ofBlob: object) else { return nil }
            filter.tokens.append(tokens.condition(.applicationLabel, is: label))
        }
        return filter
    }

    /// Compares an opened item with the query that found its row.
    ///
    /// The digest of an item with conditions is compared when its secret is open (``RowOpening/ofNamedDigest(_:)``).
    static func match(_ item: StoredItem, _ query: ItemQuery) -> RowMatch {
        var match = RowMatch.fits
        for (name, value) in query.attributes where !isEqual(item.attributes[name], value) {
            if query.hasToken(name) { return .damaged }
            if name != .digest || !item.accessControl.isConstrained { match = .other }
        }
        return match
    }

    private static func isEqual(_ stored: PropertyValue?, _ value: PropertyValue) -> Bool {
        guard let stored else { return false }
        // Most values are texts, and equal ones: they need no copies. Equivalent texts of other bytes differ.
        if case .string(let one) = stored, case .string(let other) = value, one.hasBytes(of: other) { return true }
        return AttributeKind.canonicalBytes(of: stored) == AttributeKind.canonicalBytes(of: value)
    }
}

/// The outcome of comparing an opened item with the query that found its row.
enum RowMatch {
    case fits
    /// Another item: the query names an attribute without a token, which only the opened item shows.
    case other
    /// The row's token is not that of its item. Tokens are not authenticated: an attacker who writes to the database
    /// file could put one item's token beside another item.
    case damaged
}
