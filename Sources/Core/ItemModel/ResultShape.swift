package import LatchkeyPropertyListDER

/// The shape of a call's result for each combination of return keys and limit (Reference 6.7).
package struct ResultShape: Sendable {
    private let returns: ItemQuery.Returns
    private let isList: Bool
    /// Passwords have no objects: a reference to one is nothing.
    private let hasReferences: Bool

    /// `limit` nil: one item, as an add returns and a find without a limit.
    package init(returns: ItemQuery.Returns, limit: ItemQuery.Limit?, itemClass: ItemClass) {
        self.returns = returns
        switch limit {
        case nil, .one?: isList = false
        case .all?, .count?: isList = true
        }
        hasReferences = ![.genericPassword, .internetPassword].contains(itemClass)
    }

    /// Whether entries need the reference: the object that a program gets.
    package var needsReference: Bool { hasReferences && returns.contains(.reference) }

    /// Whether secrets have to be opened for it. Objects are made from them.
    package var needsData: Bool { returns.contains(.data) || needsReference }

    /// The entry for one item, nil where the item has nothing to show (no data, or a reference to a password).
    ///
    /// - Parameters:
    ///   - data: of an identity that of its key; nil for an item without data, and for a key that shows none.
    ///   - certificateData: that of an identity's certificate.
    ///   - reference: the object, where ``needsReference`` says so.
    package func entry(
        for item: StoredItem, data: PropertyValue?, certificateData: PropertyValue? = nil,
        reference: PropertyValue? = nil, toFind: Bool
    ) -> PropertyValue? {
        switch returns {
        case []:
            return nil
        case .data:
            return data
        case .reference:
            return hasReferences ? reference : nil
        case .persistentReference:
            return .data(item.persistentReference)
        default:
            // A reference beside anything else brings all attributes, asked for or not.
            let wanted: ItemQuery.Returns = [.attributes, .reference]
            var dictionary = returns.isDisjoint(with: wanted) ? [:] : item.returnedAttributes(toFind: toFind)
            if returns.contains(.data) {
                dictionary["v_Data"] = data
                dictionary["certdata"] = certificateData
            }
            if returns.contains(.persistentReference) {
                dictionary["v_PersistentRef"] = .data(item.persistentReference)
            }
            if needsReference { dictionary["v_Ref"] = reference }
            if returns.contains(.reference) || item.itemClass == .identity {
                dictionary["class"] = .string(item.itemClass.rawValue)
            }
            return .dictionary(dictionary)
        }
    }

    /// The whole result from the entries of the items that were found.
    package func result(of entries: [PropertyValue?]) -> PropertyValue? {
        guard isList else { return entries.first ?? nil }
        return .array(entries.compactMap { $0 })
    }
}
