package import PropertyListDER

/// The shape of a call's result for each combination of return keys and limit (secitem-semantics 6.7).
package struct ResultShape: Sendable {
    private let returns: ItemQuery.Returns
    private let isList: Bool

    /// `limit` nil: one item, as an add returns and a find without a limit.
    package init(returns: ItemQuery.Returns, limit: ItemQuery.Limit?) {
        self.returns = returns
        switch limit {
        case nil, .one?: isList = false
        case .all?, .count?: isList = true
        }
    }

    /// Whether secrets have to be opened for it.
    package var needsData: Bool { returns.contains(.data) }

    /// The entry for one item, nil where the item has nothing to show (no data, or a reference to a password).
    /// `data` is nil for an item without data.
    package func entry(
        for item: StoredItem, data: PropertyValue?, toFind: Bool
    ) -> PropertyValue? {
        switch returns {
        case []:
            return nil
        case .data:
            return data
        case .reference:
            return nil
        case .persistentReference:
            return .data(item.persistentReference)
        default:
            return .dictionary(dictionary(for: item, data: data, toFind: toFind))
        }
    }

    private func dictionary(
        for item: StoredItem, data: PropertyValue?, toFind: Bool
    ) -> [String: PropertyValue] {
        var dictionary = returns.contains(.attributes) ? item.returnedAttributes(toFind: toFind) : [:]
        if returns.contains(.data), let data { dictionary["v_Data"] = data }
        if returns.contains(.persistentReference) { dictionary["v_PersistentRef"] = .data(item.persistentReference) }
        if returns.contains(.reference) { dictionary["class"] = .string(item.itemClass.rawValue) }
        return dictionary
    }

    /// The whole result from the entries of the items that were found.
    package func result(of entries: [PropertyValue?]) -> PropertyValue? {
        guard isList else { return entries.first ?? nil }
        return .array(entries.compactMap { $0 })
    }
}
