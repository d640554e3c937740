package import LatchkeyItemDatabase
package import LatchkeyItemModel
package import LatchkeySecretMemory

/// An item as another device wrote it.
package struct RemoteItem: Sendable {
    package let name: [UInt8]
    /// Its dates are those of the other device. Its identifier and its `sha1` are not used.
    package let item: StoredItem
    package let secret: SecretBox?

    package init(name: [UInt8], item: StoredItem, secret: SecretBox?) {
        self.name = name
        self.item = item
        self.secret = secret
    }
}

/// A shared item of this device, opened.
package struct SharedItem: Sendable {
    package let item: StoredItem
    package let secret: SecretBox?
    /// Name and digest as they are now: those of a change that was reported may be older.
    package let content: SharedContent
}

/// The reason why a transaction of shared items was not committed. Nothing of it stays.
package enum SharedItemsFailure: Error, Sendable {
    /// Programs have changed items of these names, and the changes were not reported yet.
    case changedMeanwhile(Set<[UInt8]>)
    /// A record of this name cannot be an item of the circle.
    case notShared(name: [UInt8])
    case failed(CallFailure)
}
