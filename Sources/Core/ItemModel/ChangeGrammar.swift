import LatchkeyPropertyListDER

extension QueryGrammar {
    /// Reads the second dictionary of an update (Reference 6.5). Changes to an identity apply to its certificate and to
    /// its key, so they may name only attributes of both classes.
    package static func changes(
        _ pairs: [QueryPair], of itemClass: ItemClass
    ) throws(QueryRefusal) -> ItemChanges {
        guard let schema = ItemSchema.of(itemClass) else {
            _ = try changes(pairs, of: .certificate)
            return try changes(pairs, of: .key)
        }
        let sorted = try SortedPairs(pairs)
        if sorted.first(.match) != nil {
            throw .notAllowedHere("A kSecMatch… key", in: "the changes of SecItemUpdate", advice: "Leave it out.")
        }
        var changes = ItemChanges()
        for (key, value) in sorted.all(.value) {
            switch (key, value) {
            case ("v_Data", .secret(let index)): changes.dataSecret = index
            case ("v_Data", _): throw .badValue(of: "kSecValueData", expected: "Data")
            case ("v_Ref", _): throw ValueKeys.badReference
            default: throw .unknownKey(key)
            }
        }
        var unknown = sorted.itemClass == nil ? nil : "class"
        unknown = unknown ?? sorted.first(.returnOrUse)?.key
        var privateName: String?
        for (key, value) in sorted.all(.attribute) {
            guard let name = AttributeName(column: key) else {
                unknown = unknown ?? key
                continue
            }
            if try readNamed(name, value, of: itemClass, into: &changes) { continue }
            guard let attribute = schema[name] else {
                unknown = unknown ?? key
                continue
            }
            guard let stored = attribute.kind.stored(value) else {
                throw .badValue(of: key, expected: "of the kind this attribute has")
            }
            if attribute.isPrivate { privateName = key }
            changes.attributes[name] = stored
        }
        if let unknown { throw .unknownAttribute(unknown, of: itemClass) }
        if let privateName { throw .privateKey(privateName) }
        // The digest is computed from the item and cannot be set.
        changes.attributes[.digest] = nil
        return changes
    }

    private static func readNamed(
        _ name: AttributeName, _ value: PropertyValue, of itemClass: ItemClass, into changes: inout ItemChanges
    ) throws(QueryRefusal) -> Bool {
        switch name {
        case .noLegacy, .multiUser:
            return true
        case .modificationDate:
            _ = try AttributeKeys.date(value, of: "kSecAttrModificationDate")
        case .clip, .sharingGroup:
            throw .notAllowedHere(name.rawValue, in: "the changes of SecItemUpdate", advice: "Leave it out.")
        case .tombstone:
            guard try !AttributeKeys.isTrue(value, of: "kSecAttrTombstone") else {
                throw .notAllowedHere(
                    "kSecAttrTombstone", in: "the changes of SecItemUpdate", advice: "Delete the item instead.")
            }
        case .accessGroup:
            changes.accessGroup = try AttributeKeys.text(value, of: "kSecAttrAccessGroup")
        case .accessible:
            changes.accessible = try AttributeKeys.accessible(value)
        case .accessControl:
            changes.accessControl = try AttributeKeys.accessControl(value)
        case .synchronizable:
            changes.synchronizable = try AttributeKeys.isTrue(value, of: "kSecAttrSynchronizable")
        case .creationDate:
            changes.creationDate = try AttributeKeys.date(value, of: "kSecAttrCreationDate")
        case .extraNotes, .extraHistory, .extraClientDefined0, .extraClientDefined1, .extraClientDefined2,
            .extraClientDefined3:
            guard itemClass == .internetPassword else { return false }
            throw .privateKey(name.rawValue)
        default:
            return false
        }
        return true
    }
}
