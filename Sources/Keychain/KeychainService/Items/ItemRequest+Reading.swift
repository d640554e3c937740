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
    /// Returns the text under a key of the query, parsed by the rules of the grammar and cut to the limit of journals.
    /// To be used for journals only, and only for keys whose values are not secret.
    func named(_ key: String) -> String {
        for pair in query {
            guard case .string(let name) = pair.key, name == key else { continue }
            if case .string(let text)? = AttributeKind.string.stored(pair.value) { return PlainText.cut(text, to: 256) }
        }
        return ""
    }

    /// Parses the query, checks its access control, and normalises the issuer to the stored form.
    ///
    /// - Parameter adoptedItems: the adopted items of the caller (``Caller/adoptedItems``).
    func query(for call: QueryGrammar.Call, adoptedItems: [String: AdoptedItems] = [:]) throws(Setback) -> ItemQuery {
        var query = try grammatical(QueryGrammar.query(query, for: call))
        query.adoptedItems = adoptedItems
        query.attributes.normaliseIssuer(of: query.itemClass)
        if call == .add { try ItemProtection.checkOneOfTwo(query.accessible, query.accessControl) }
        if let accessControl = query.accessControl {
            // The row of an enclave key has another protection class than the key.
            let accessible = query.attributes[.tokenID] == nil ? query.accessible : nil
            try ItemProtection.check(accessControl, beside: accessible)
        }
        return query
    }

    /// Parses the changes of an update, and normalises the issuer to the form that searches use.
    func changes(of itemClass: ItemClass) throws(Setback) -> ItemChanges {
        var changes = try grammatical(QueryGrammar.changes(changes, of: itemClass))
        try ItemProtection.checkOneOfTwo(changes.accessible, changes.accessControl)
        changes.attributes.normaliseIssuer(of: itemClass)
        return changes
    }

    /// Returns the secret that a dictionary refers to. A message with an index out of range is malformed.
    func secret(at index: Int?) throws(Setback) -> SecretBox? {
        guard let index else { return nil }
        guard secrets.indices.contains(index) else {
            throw .call(.param, .malformed)
        }
        guard secrets[index].count <= KeychainService.dataByteLimit else {
            throw .call(.dataTooLarge, .dataTooLarge, secrets[index].count)
        }
        return secrets[index]
    }
}

extension [AttributeName: PropertyValue] {
    /// Normalises the issuer, so that equal names have equal bytes. Data that is not a valid name stays unchanged.
    mutating func normaliseIssuer(of itemClass: ItemClass) {
        guard itemClass == .certificate || itemClass == .identity, case .data(let name)? = self[.issuer],
            let normalised = Certificate.normalised(name: name)
        else { return }
        self[.issuer] = .data(normalised)
    }
}
