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
        try ReturnAndUseKeys.read(sorted.returnAndUse, for: call, into: &query)
        try ValueKeys.read(sorted.values, for: call, into: &query)
        try MatchKeys.read(sorted.matches, for: call, into: &query)
        try AttributeKeys.read(sorted.attributes, for: call, into: &query)
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
                throw QueryRefusal(
                    .noSuchClass, .unknownClass, "\(name) is not an item class.",
                    advice: "Set kSecClass to one of the kSecClass constants.")
            }
            named = itemClass
        case .some:
            throw QueryRefusal(
                .noSuchClass, .unknownClass, "The value of kSecClass is not text.",
                advice: "Set kSecClass to one of the kSecClass constants.")
        }
        guard let reference = pairs.values["v_PersistentRef"] else {
            if let named { return named }
            throw QueryRefusal(
                .param, .classMissing, "The query names no item class.", advice: "Set kSecClass.")
        }
        guard case .data(let bytes) = reference, let parsed = PersistentReference(bytes) else {
            throw .badValue(of: "kSecValuePersistentRef", expected: "a persistent reference of a keychain item")
        }
        if let named, named != parsed.itemClass {
            throw QueryRefusal(
                .noSuchClass, .classContradictsReference,
                "kSecClass is \(named.rawValue) but the persistent reference is of class \(parsed.itemClass.rawValue).",
                advice: "Leave kSecClass out when a persistent reference is given.")
        }
        return parsed.itemClass
    }

    /// An identity has no row of its own: its certificate and its key are added.
    private static func checkAddedIdentity(_ query: ItemQuery) throws(QueryRefusal) {
        guard query.reference != nil else {
            throw QueryRefusal(
                .param, .identityWithoutReference, "An identity is added without kSecValueRef.",
                advice: "Give the SecIdentity as kSecValueRef, or add certificate and key one by one.")
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
        let attributes = pairs.attributes.filter { ![.noLegacy, .multiUser].contains(AttributeName(column: $0.key)) }
        guard !attributes.isEmpty else { return }
        if case .identifier = reference, call != .find { return }
        throw QueryRefusal(
            .param, .referenceWithAttributes, "A persistent reference stands beside other attributes.",
            advice: "Search by the reference alone.")
    }
}

/// The pairs of a dictionary, sorted by the form of their keys. A key of any other form is refused.
struct SortedPairs {
    private(set) var itemClass: PropertyValue?
    private(set) var attributes: [(key: String, value: PropertyValue)] = []
    private(set) var matches: [(key: String, value: PropertyValue)] = []
    private(set) var returnAndUse: [(key: String, value: PropertyValue)] = []
    private(set) var values: [String: PropertyValue] = [:]

    init(_ pairs: [QueryPair]) throws(QueryRefusal) {
        guard pairs.count <= QueryGrammar.pairLimit else {
            throw QueryRefusal(
                .param, .tooManyPairs, "The dictionary has \(pairs.count) pairs, at most 128 are taken.",
                advice: "Leave out what does not matter.")
        }
        var numberKey = false
        var names: Set<String> = []
        for pair in pairs {
            if let unstorable = UnstorableValue(pair.key) ?? UnstorableValue(pair.value) { throw unstorable.refusal }
            switch pair.key {
            case .string(let key):
                // A dictionary cannot have duplicate keys: a client sends them so that two rules read different values.
                guard names.insert(key).inserted else {
                    throw QueryRefusal(
                        .param, .duplicateKey, "A key of the dictionary is given twice.",
                        advice: "Give each key once.")
                }
                try sort(key, pair.value)
            case .integer: numberKey = true
            default:
                throw QueryRefusal(
                    .param, .keyNotText, "A key of the dictionary is not text.", advice: "Use the kSec constants.")
            }
        }
        if numberKey {
            throw QueryRefusal(
                .noSuchAttr, .unknownAttribute, "A key of the dictionary is a number.",
                advice: "Use the kSec constants.")
        }
    }

    private mutating func sort(_ key: String, _ value: PropertyValue) throws(QueryRefusal) {
        let bytes = key.utf8
        if bytes.count == 4 {
            attributes.append((key, value))
        } else if key.hasPrefix("c") {
            guard key == "class" else { throw .unknownKey(key) }
            itemClass = value
        } else if key.hasPrefix("m_") {
            matches.append((key, value))
        } else if key.hasPrefix("r_") || key.hasPrefix("u_") {
            returnAndUse.append((key, value))
        } else if key.hasPrefix("v_") {
            values[key] = value
        } else if key.hasPrefix("f"), bytes.count > 1 {
            return
        } else {
            throw .unknownKey(bytes.count > 64 ? "A key of \(bytes.count) bytes" : "\"\(key)\"")
        }
    }
}
