package import LatchkeyPropertyListDER

/// The shape of a call's result for each combination of return keys and limit (Reference 6.7).
package struct ResultShape: Sendable {
    private let returns: ItemQuery.Returns
    private let isList: Bool
    /// False for passwords: a reference to one returns nothing, because there is no object for it.
    private let hasReferences: Bool

    /// - Parameter limit: nil for an add, and for a find without a limit; both return one item.
    package init(returns: ItemQuery.Returns, limit: ItemQuery.Limit?, itemClass: ItemClass) {
        self.returns = returns
        switch limit {
        case nil, .one?: isList = false
        case .all?, .count?: isList = true
        }
        hasReferences = ![.genericPassword, .internetPassword].contains(itemClass)
    }

    /// True if entries contain the reference, that is, the object that a program gets.
    package var needsReference: Bool { hasReferences && returns.contains(.reference) }

    /// True if secrets must be decrypted. Objects are made from them, too.
    package var needsData: Bool { returns.contains(.data) || needsReference }

    /// True if entries contain attributes.
    package var needsAttributes: Bool {
        returns.contains(.attributes) || returns.contains(.reference) && returns != .reference
    }

    /// Returns the entry for one item; nil if the item has nothing to return (no data, or a reference to a password).
    ///
    /// - Parameters:
    ///   - data: the item's data, for an identity its key's; nil for an item without data, and for a key that cannot be
    ///     exported.
    ///   - certificateData: the data of an identity's certificate.
    ///   - reference: the object, if ``needsReference`` is true.
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
            // A reference combined with another return key returns all attributes, even if they were not requested.
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

    /// Returns the whole result, made from the entries of the items that were found.
    package func result(of entries: [PropertyValue?]) -> PropertyValue? {
        guard isList else { return entries.first ?? nil }
        return .array(entries.compactMap { $0 })
    }
}
