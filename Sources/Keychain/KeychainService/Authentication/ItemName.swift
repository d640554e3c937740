import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeyPropertyListDER

/// The name of an item in a prompt: label, service or server, and account, in the words of the program that stored
/// it. The prompt escapes hidden characters.
struct ItemName: Sendable, Hashable {
    let text: String

    /// The limit of each part. The user can recognise an item by less.
    private static let partByteCount = 96

    /// Returns nil for an item without a name.
    init?(of item: StoredItem) {
        var parts: [String] = []
        for name in Self.naming(item.itemClass) {
            guard let part = Self.text(of: item.attributes[name]), !parts.contains(part) else { continue }
            parts.append(part)
        }
        guard !parts.isEmpty else { return nil }
        text = parts.joined(separator: " / ")
    }

    private static func naming(_ itemClass: ItemClass) -> [AttributeName] {
        switch itemClass {
        case .genericPassword: [.label, .service, .account]
        case .internetPassword: [.label, .server, .account]
        case .certificate, .identity: [.label]
        case .key: [.label, .applicationTag]
        }
    }

    /// Returns nil if the value is empty or not text.
    private static func text(of value: PropertyValue?) -> String? {
        let text: String
        switch value {
        case .string(let string)?: text = string
        case .data(let bytes)?:
            guard let decoded = String(validating: bytes, as: UTF8.self) else { return nil }
            text = decoded
        default: return nil
        }
        return text.isEmpty ? nil : PlainText.cut(text, to: partByteCount)
    }
}

extension ItemFinder {
    /// Returns the name of the item that stands for an enclave key, if the caller has one. To be called only if the
    /// user is prompted.
    func name(ofKey blob: [UInt8], _ caller: Caller) -> ItemName? {
        guard let label = EnclaveKeyRecord.label(ofBlob: blob),
            let searchKey = try? enclaveKeys.sealing.keys.searchKey()
        else {
            return nil
        }
        var filter = RowFilter(itemClass: .key)
        filter.accessGroups = caller.accessGroups
        filter.adoptedItems = caller.adoptedItems
        filter.tokens = [SearchTokens(key: searchKey, itemClass: .key).condition(.applicationLabel, is: label)]
        let rows = try? store.rows(matching: filter, limit: 1, withSecret: false)
        return rows?.first.flatMap { try? enclaveKeys.sealing.item(of: $0) }.flatMap { ItemName(of: $0) }
    }
}
