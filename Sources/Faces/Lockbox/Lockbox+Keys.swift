import Foundation
import Security

extension Lockbox {
    /// Marks the items of lockboxes, so that others of the same service are left alone: four letters as a number, in
    /// the item's attribute `crtr`.
    static let creator: UInt32 = 0x4C6B_6278  // Lkbx

    /// The keys of all values, in the order of their bytes.
    ///
    /// Keys are bytes: a precomposed letter and the letter with a combining accent are two keys, although Swift finds
    /// the texts equal. Both are listed.
    ///
    /// The keychain shows not even the key of a value that requires authentication before the user's proof, so such
    /// values cause a prompt.
    public var allKeys: [String] {
        get throws(LockboxError) { try allKeys(prompt: .automatic) }
    }

    /// The keys of all values, in the order of their bytes. ``Prompt/never`` fails with ``LockboxError/personNeeded``
    /// if a value requires authentication: a list is never incomplete.
    public func allKeys(prompt: Prompt) throws(LockboxError) -> [String] {
        let query = try attributes().merging([
            ItemName.creator: Self.creator, ItemName.returnAttributes: true, ItemName.matchLimit: ItemName.all,
        ]) { $1 }
        let prompt = try prompt.attributes()
        var found: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query.merging(prompt) { $1 } as CFDictionary, &found)
        if status == errSecItemNotFound { return [] }
        guard status == errSecSuccess else {
            // All values but those that require authentication.
            let others = Self.status(ofSkipping: query)
            throw status == errSecInteractionNotAllowed && others != status
                ? .personNeeded : LockboxError(status, key: "")
        }
        guard let items = found as? [[String: Any]] else {
            throw .failed(status: errSecInternal, message: "The keychain's reply is not a list of items.")
        }
        return items.filter { ($0[ItemName.type] as? NSNumber)?.uint32Value != Probe.type }
            .compactMap { $0[ItemName.account] as? String }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns true if a key has a value. Never prompts, even if the value requires authentication.
    public func containsValue(for key: String) throws(LockboxError) -> Bool {
        switch try statusAskingNobody(key) {
        case errSecSuccess: return true
        case errSecItemNotFound: return false
        case errSecInteractionNotAllowed where asksForSomebody(key): return true
        case let status: throw LockboxError(status, key: key)
        }
    }

    /// Removes a value. Never prompts, even if the value requires authentication.
    /// - Returns: whether there was one.
    @discardableResult
    public func removeValue(for key: String) throws(LockboxError) -> Bool {
        switch SecItemDelete(try attributes(of: key) as CFDictionary) {
        case errSecSuccess: return true
        case errSecItemNotFound: return false
        case let status: throw LockboxError(status, key: key)
        }
    }

    /// Removes every value of the box. Items of the same service that no lockbox has stored stay.
    public func removeAll() throws(LockboxError) {
        let query = try attributes().merging([ItemName.creator: Self.creator]) { $1 }
        let status = SecItemDelete(query as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw LockboxError(status, key: "") }
    }

    /// Returns true if a value that exists, but cannot be read now, requires authentication: else the device is locked.
    func asksForSomebody(_ key: String) -> Bool {
        guard let item = try? attributes(of: key) else { return false }
        return Self.status(ofSkipping: item) == errSecItemNotFound
    }

    /// The status of a search for an item that returns nothing of it, and never prompts.
    func statusAskingNobody(_ key: String) throws(LockboxError) -> OSStatus {
        let query = try attributes(of: key).merging(Prompt.neverAttributes) { $1 }
        return SecItemCopyMatching(query as CFDictionary, nil)
    }

    /// The status of a search that skips every item that requires authentication.
    private static func status(ofSkipping query: [String: Any]) -> OSStatus {
        var found: CFTypeRef?
        let skipping = query.merging([
            ItemName.authenticationUI: ItemName.authenticationUISkip, ItemName.returnAttributes: true,
        ]) { $1 }
        return unsafe SecItemCopyMatching(skipping as CFDictionary, &found)
    }

    func attributes(of key: String) throws(LockboxError) -> [String: Any] {
        guard !key.isEmpty else { throw .emptyKey }
        return try attributes().merging([ItemName.account: key]) { $1 }
    }

    /// Of all items of the box.
    private func attributes() throws(LockboxError) -> [String: Any] {
        [
            ItemName.itemClass: ItemName.genericPassword, ItemName.service: identifier,
            ItemName.accessGroup: try group(), ItemName.synchronizable: isSynchronizable,
        ]
    }
}
