import LatchkeyCertificates
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeyPropertyListDER
import LatchkeySecretMemory

extension ItemOperation {
    var name: String {
        switch self {
        case .add: "add"
        case .find: "find"
        case .update: "update"
        case .delete: "delete"
        }
    }
}

extension ItemRequest {
    /// The text under a key of the query, as the grammar reads it, for journals and for nothing else: it is cut where it
    /// is too long for them. Only keys whose values are no secret.
    func named(_ key: String) -> String {
        for pair in query where pair.key == .string(key) {
            if case .string(let text)? = AttributeKind.string.stored(pair.value) { return PlainText.cut(text, to: 256) }
        }
        return ""
    }

    /// The query, with the rule that only the access control itself can tell, and the issuer in the form that is stored.
    ///
    /// - Parameter adoptedItems: those of the caller (``Caller/adoptedItems``).
    func query(for call: QueryGrammar.Call, adoptedItems: [String: AdoptedItems] = [:]) throws(Setback) -> ItemQuery {
        var query = try grammatical(QueryGrammar.query(query, for: call))
        query.adoptedItems = adoptedItems
        query.attributes.normaliseIssuer(of: query.itemClass)
        if call == .add { try ItemProtection.checkOneOfTwo(query.accessible, query.accessControl) }
        if let accessControl = query.accessControl {
            // The row of an enclave's key is of another class than the key.
            let accessible = query.attributes[.tokenID] == nil ? query.accessible : nil
            try ItemProtection.check(accessControl, beside: accessible)
        }
        return query
    }

    /// What an update changes, with the issuer in the form that is searched for.
    func changes(of itemClass: ItemClass) throws(Setback) -> ItemChanges {
        var changes = try grammatical(QueryGrammar.changes(changes, of: itemClass))
        try ItemProtection.checkOneOfTwo(changes.accessible, changes.accessControl)
        changes.attributes.normaliseIssuer(of: itemClass)
        return changes
    }

    /// The secret a dictionary refers to; a message with an index of nowhere is malformed.
    func secret(at index: Int?) throws(Setback) -> SecretBox? {
        guard let index else { return nil }
        guard secrets.indices.contains(index) else {
            throw .call(
                .param, .malformed, "The message refers to a secret it does not hold.", advice: "Report it.")
        }
        guard secrets[index].count <= KeychainService.dataByteLimit else {
            throw .call(
                .dataTooLarge, .dataTooLarge,
                "The data has \(secrets[index].count) bytes; an item holds at most 16 MiB.",
                advice: "Keep the data in a file and its key in the keychain.")
        }
        return secrets[index]
    }
}

extension [AttributeName: PropertyValue] {
    /// Equal names get equal bytes. What is no name stays as it was given.
    mutating func normaliseIssuer(of itemClass: ItemClass) {
        guard itemClass == .certificate || itemClass == .identity, case .data(let name)? = self[.issuer],
            let normalised = Certificate.normalised(name: name)
        else { return }
        self[.issuer] = .data(normalised)
    }
}
