import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

/// The results that this tool's searches ask for.
extension QueryPair {
    /// The persistent references of all items that fit: see ``ItemReply/references``.
    static let allReferences = [
        QueryPair("m_Limit", .string("m_LimitAll")), QueryPair("r_PersistentRef", .boolean(true)),
    ]
    /// Everything about an item.
    static let wholeItem = [
        QueryPair("r_Attributes", .boolean(true)), QueryPair("r_Data", .boolean(true)),
        QueryPair("r_PersistentRef", .boolean(true)),
    ]
}

extension ItemReply {
    /// The answer to a search with ``QueryPair/allReferences``: empty where no item fits, nil where the search was
    /// refused.
    var references: [[UInt8]]? {
        if code == .itemNotFound { return [] }
        guard code == .success, case .array(let values)? = result else { return nil }
        return values.compactMap { value in if case .data(let reference) = value { reference } else { nil } }
    }
}
