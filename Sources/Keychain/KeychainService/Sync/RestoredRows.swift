import LatchkeyItemDatabase
import LatchkeyItemModel

/// The rule for rows of a backup in a circle: the modification date decides until they are published, and a newer deletion stays.
enum RestoredRows {
    /// Returns true if an item stays deleted.
    static func stays(_ deletion: SyncDeletion, over item: StoredItem) -> Bool {
        deletion.time > UInt64(clamping: AttributeKind.microseconds(item.modificationDate))
    }
}
