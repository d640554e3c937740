public import Foundation
import Security

extension Lockbox {
    /// Stores a value, in place of the one that the key has, if it has one: value and protection change together.
    ///
    /// - Parameters:
    ///   - value: strings and data are stored as they are, everything else as JSON. Optionals, also nested ones, count
    ///     as what is in them; nil removes the value that the key has.
    ///   - key: any text but an empty one.
    ///   - protection: of this value; nil: that of the box.
    ///   - prompt: how the user is asked, if the former value requires authentication or the new one a password.
    public func set<Value: Encodable>(
        _ value: Value, for key: String, protection: Protection? = nil, prompt: Prompt = .automatic
    ) throws(LockboxError) {
        guard let present = OptionalContent.value(of: value) else {
            try removeValue(for: key)
            return
        }
        let stored = try StoredValue(present, key: key)
        let item = try attributes(of: key)
        let prompt = try prompt.attributes()
        let protection = protection ?? self.protection
        let content = try protection.attributes(isSynchronizable: isSynchronizable).merging([
            ItemName.data: stored.bytes, ItemName.type: stored.kind?.rawValue ?? 0, ItemName.creator: Self.creator,
        ]) { $1 }
        // Other programs of the group may add or remove it at any moment.
        for _ in 0..<8 {
            let changed = SecItemUpdate(item.merging(prompt) { $1 } as CFDictionary, content as CFDictionary)
            if changed == errSecSuccess { return }
            guard changed == errSecItemNotFound else {
                throw isForPassword(changed, key, protection) ? .personNeeded : failure(changed, key)
            }
            let added = SecItemAdd(
                item.merging(content) { $1 }.merging(prompt) { $1 } as CFDictionary, nil)
            if added == errSecSuccess { return }
            guard added == errSecDuplicateItem else {
                throw isForPassword(added, key, protection) ? .personNeeded : LockboxError(added, key: key)
            }
        }
        throw .contested(key: key)
    }

    /// Stores a value, or removes the one that the key has, for nil.
    public func set<Value: Encodable>(
        _ value: Value?, for key: String, protection: Protection? = nil, prompt: Prompt = .automatic
    ) throws(LockboxError) {
        guard let value else {
            try removeValue(for: key)
            return
        }
        try set(value, for: key, protection: protection, prompt: prompt)
    }

    /// The value of a key; nil if there is none.
    ///
    /// A value that was lost for good counts as none: one that required fingers that are no longer enrolled, or that
    /// ended with the device's passcode.
    public func value<Value: Decodable>(
        _ type: Value.Type = Value.self, for key: String, prompt: Prompt = .automatic
    ) throws(LockboxError) -> Value? {
        try stored(key, prompt)?.value(type, key: key)
    }

    public func string(for key: String, prompt: Prompt = .automatic) throws(LockboxError) -> String? {
        try value(String.self, for: key, prompt: prompt)
    }

    public func data(for key: String, prompt: Prompt = .automatic) throws(LockboxError) -> Data? {
        try value(Data.self, for: key, prompt: prompt)
    }

    public func date(for key: String, prompt: Prompt = .automatic) throws(LockboxError) -> Date? {
        try value(Date.self, for: key, prompt: prompt)
    }

    private func stored(_ key: String, _ prompt: Prompt) throws(LockboxError) -> StoredValue? {
        let query = try attributes(of: key).merging(try prompt.attributes()) { $1 }.merging([
            ItemName.returnData: true, ItemName.returnAttributes: true, ItemName.matchLimit: ItemName.one,
        ]) { $1 }
        var found: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess else { throw failure(status, key) }
        guard let item = found as? [String: Any] else {
            throw .failed(status: errSecInternal, message: "The keychain's reply is not an item.")
        }
        let kind = (item[ItemName.type] as? NSNumber).flatMap {
            StoredValue.Kind(rawValue: $0.uint32Value)
        }
        // An item without any data has an empty value.
        return StoredValue(bytes: item[ItemName.data] as? Data ?? Data(), kind: kind)
    }

    /// Returns true if a value was not stored now because the user would have to give a password for it: the existing
    /// value is not the obstacle, and the new one's class is open.
    private func isForPassword(_ status: OSStatus, _ key: String, _ protection: Protection) -> Bool {
        guard status == errSecInteractionNotAllowed, protection.accessControl?.contains(.applicationPassword) == true,
            let group = try? group(), let former = try? statusAskingNobody(key),
            former == errSecSuccess || former == errSecItemNotFound
        else { return false }
        return Probe(service: identifier, group: group, protection.accessibility).status == errSecSuccess
    }

    /// Of a call about one item, which "not now" alone does not explain.
    private func failure(_ status: OSStatus, _ key: String) -> LockboxError {
        status == errSecInteractionNotAllowed && asksForSomebody(key)
            ? .personNeeded : LockboxError(status, key: key)
    }
}
