import Foundation
import Security

/// An item of the older library: a generic password whose service has prefix and key in it.
struct PrefixedItem {
    /// Between the parts of a list.
    static let mark = "-|-"

    private let service: String

    /// Nil without a prefix, or without a key.
    init?(prefix: String, key: String) {
        guard !prefix.isEmpty, !key.isEmpty else { return nil }
        service = "\(prefix).\(key)"
    }

    private var query: [String: Any] {
        [ItemName.itemClass: ItemName.genericPassword, ItemName.service: service]
    }

    /// Nil if the key has no value, or no value that can be read now.
    var data: Data? {
        var found: CFTypeRef?
        let query = query.merging([ItemName.returnData: true, ItemName.matchLimit: ItemName.one]) { $1 }
        guard unsafe SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return nil }
        return found as? Data
    }

    /// - Parameter data: nil removes the item.
    /// - Returns: whether it was done.
    func store(_ data: Data?, _ accessibility: CFTypeRef?) -> Bool {
        guard let data else { return SecItemDelete(query as CFDictionary) == errSecSuccess }
        let content: [String: Any] = [
            ItemName.data: data, ItemName.accessible: accessibility ?? NSString(string: ItemName.whenUnlocked),
        ]
        let added = SecItemAdd(query.merging(content) { $1 } as CFDictionary, nil)
        guard added == errSecDuplicateItem else { return added == errSecSuccess }
        return SecItemUpdate(query as CFDictionary, content as CFDictionary) == errSecSuccess
    }
}
