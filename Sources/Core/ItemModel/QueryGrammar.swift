import LatchkeyPropertyListDER

/// The grammar of query dictionaries (Reference 6.1 to 6.6): the keys that each call accepts, ignores and refuses.
package enum QueryGrammar {
    package static let pairLimit = 128

    package enum Call: String, Sendable, CaseIterable {
        case add = "SecItemAdd"
        case find = "SecItemCopyMatching"
        case update = "SecItemUpdate"
        case delete = "SecItemDelete"
    }

    /// Parses the query of a call, or throws the first rule that it breaks. The result does not depend on the order of
    /// the pairs.
    package static func query(
        _ pairs: [QueryPair], for call: Call
    ) throws(QueryRefusal) -> ItemQuery {
        let sorted = try SortedPairs(pairs)
        var query = ItemQuery(itemClass: try itemClass(of: sorted))
        try ReturnAndUseKeys.read(sorted, for: call, into: &query)
        try ValueKeys.read(sorted, for: call, into: &query)
        try MatchKeys.read(sorted, for: call, into: &query)
        try AttributeKeys.read(sorted, for: call, into: &query)
        try checkReference(sorted, query, call)
        if case .token(_, let identifier, let object)? = query.persistentReference {
            query.attributes[.tokenID] = .string(identifier)
            query.tokenObject = object
        }
        if call == .add, query.itemClass == .identity { try checkAddedIdentity(query) }
        return query
    }

    private static func itemClass(of pairs: SortedPairs) throws(QueryRefusal) -> ItemClass {
        let named: ItemClass?
        switch pairs.itemClass {
        case nil:
            named = nil
        case .string(let name)?:
            guard let itemClass = ItemClass(rawValue: name) else {
                throw QueryRefusal(.noSuchClass, .unknownClass, name)
            }
            named = itemClass
        case .some:
            throw QueryRefusal(.noSuchClass, as: .classNotText)
        }
        guard let reference = pairs.first(.value, where: { key, _ in key == "v_PersistentRef" })?.value else {
            if let named { return named }
            throw QueryRefusal(.param, .classMissing)
        }
        guard case .data(let bytes) = reference, let parsed = PersistentReference(bytes) else {
            throw .badValue(of: "kSecValuePersistentRef", expected: "a persistent reference of a keychain item")
        }
        if let named, named != parsed.itemClass {
            throw QueryRefusal(.noSuchClass, .classContradictsReference, named.rawValue, parsed.itemClass.rawValue)
        }
        return parsed.itemClass
    }

    /// An identity has no row of its own: its certificate and its key are added.
    private static func checkAddedIdentity(_ query: ItemQuery) throws(QueryRefusal) {
        guard query.reference != nil else {
            throw QueryRefusal(.param, .identityWithoutReference)
        }
        if query.dataSecret != nil {
            throw .notAllowedHere(
                "kSecValueData", in: "an add of an identity", advice: "The data comes with kSecValueRef: leave it out.")
        }
    }

    /// A find by a persistent reference accepts no other attribute. Updates and deletes accept some beside the 20-byte
    /// form.
    private static func checkReference(
        _ pairs: SortedPairs, _ query: ItemQuery, _ call: Call
    ) throws(QueryRefusal) {
        guard let reference = query.persistentReference else { return }
        let attribute = pairs.first(.attribute) { key, _ in
            ![.noLegacy, .multiUser].contains(AttributeName(column: key))
        }
        guard attribute != nil else { return }
        if case .identifier = reference, call != .find { return }
        throw QueryRefusal(.param, .referenceWithAttributes)
    }
}
