import LatchkeyItemDatabase
import LatchkeyItemModel

/// Counts of items that are shared, and of items that are not, for people.
extension SharedItems {
    /// The number of shared items in each access group. Those that do not open now are left out.
    package func sharedItemsByGroup() throws(CallFailure) -> [String: Int] {
        try counting(
            { reader throws(ItemDatabaseFailure) in try reader.syncItems().compactMap(\.place) }, by: \.accessGroup)
    }

    /// The number of synchronizable items that stay on this device, by the reason. Those that do not open now are left out.
    package func localItems() throws(CallFailure) -> [SharingObstacle: Int] {
        let allowed = circle.keys?.allowedGroups ?? []
        let hasKeys = circle.keys != nil
        return try counting { reader throws(ItemDatabaseFailure) in
            var places: [RowPlace] = []
            for schema in ItemSchema.all { places += try reader.unsharedRows(of: schema.itemClass) }
            return places
        } by: { item in
            if let obstacle = SharingRules.obstacle(to: item) { return obstacle }
            if !SharingRules.shares(group: item.accessGroup, allowed: allowed) { return .group }
            // Small ones wait for their name, which takes no time.
            return hasKeys ? .tooLarge : nil
        }
    }

    /// Opens the rows at the places and counts them by a key, some of them in each transaction.
    private func counting<Key: Hashable>(
        _ places: (ItemReader) throws(ItemDatabaseFailure) -> [RowPlace], by key: (StoredItem) -> Key?
    ) throws(CallFailure) -> [Key: Int] {
        var counts: [Key: Int] = [:]
        do throws(Setback) {
            var rest = try store.read { reader throws(Setback) in try onDisk(places(reader)) }[...]
            while !rest.isEmpty {
                let rows = try store.read { reader throws(Setback) in
                    var rows: [ItemRow] = []
                    for place in rest.prefix(Self.pageSize) {
                        if let row = try reader.row(at: place, withSecret: false) { rows.append(row) }
                    }
                    return rows
                }
                rest = rest.dropFirst(Self.pageSize)
                for row in rows where !row.isTombstone {
                    if let item = try opened(row), let key = key(item) { counts[key, default: 0] += 1 }
                }
            }
        } catch {
            throw CallFailure(error)
        }
        return counts
    }

    private func opened(_ row: ItemRow) throws(Setback) -> StoredItem? {
        do throws(Setback) {
            return try sealing.item(of: row)
        } catch .key {
            return nil
        }
    }

    private static let pageSize = 256
}
