internal import LatchkeyItemDatabase
internal import LatchkeyItemModel
internal import LatchkeyKeychainService
package import LatchkeySyncCore

extension SyncParts {
    /// Returns the version that this device knows of an item; nil if it is not shared, or was not published yet.
    /// - Parameter reference: the persistent reference on this device.
    package func version(ofItem reference: [UInt8]) -> ItemVersion? {
        guard case .identifier(let itemClass, let identifier)? = PersistentReference(reference) else { return nil }
        let place = RowPlace(itemClass, PersistentReference.row(ofIdentifier: identifier))
        let row = try? items.read { reader in
            try reader.syncName(of: place).flatMap { try reader.syncItem(named: $0) }
        }
        return row?.known.flatMap { ItemVersion($0.version) }
    }
}
