import LatchkeyItemModel
import LatchkeyPropertyListDER

/// The result of an add or a find that names an identity by `kSecValueRef`: its persistent reference, if that alone is
/// asked for, of one item; else nothing (`explode_identity` in `SecItem.m`). A find by class and attributes returns
/// identities in every shape.
enum IdentityAnswer {
    private static let persistentReference = PropertyValue.string("r_PersistentRef")

    /// Takes out of a query what is not answered, so that nothing is opened for it.
    /// - Returns: whether there is a result.
    static func restrict(_ query: inout [QueryPair]) -> Bool {
        let wanted = query.indices.filter { query[$0].isReturnKey && query[$0].value == .boolean(true) }
        let isOfSeveral = query.contains { $0.key == .string("m_Limit") && !isOne($0.value) }
        if !isOfSeveral, wanted.map({ query[$0].key }) == [persistentReference] { return true }
        for index in wanted { query[index] = QueryPair(key: query[index].key, value: .boolean(false)) }
        return false
    }

    private static func isOne(_ limit: PropertyValue) -> Bool {
        limit == .string("m_LimitOne") || limit == .integer(1)
    }
}

extension QueryPair {
    fileprivate var isReturnKey: Bool {
        if case .string(let name) = key { name.hasPrefix("r_") } else { false }
    }
}
