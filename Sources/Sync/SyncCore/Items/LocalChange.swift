/// A change of an eligible item by a program of this device, reported after its row was written.
package enum LocalChange: Hashable, Sendable {
    /// An item was added or changed.
    case put(ItemName, ItemContent)
    /// An item was deleted. Without a tombstone it is *absent here*, and the other devices keep it.
    case delete(ItemName, leavesTombstone: Bool)
    /// The primary key of an item changed: a deletion of the old name and an item of the new one.
    case rename(from: ItemName, to: ItemName, ItemContent)

    package var names: [ItemName] {
        switch self {
        case .put(let name, _), .delete(let name, _): [name]
        case .rename(let old, let new, _): [old, new]
        }
    }
}
