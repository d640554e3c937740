import LatchkeyItemDatabase
import LatchkeyItemModel

/// Counts of items that are shared, and of items that are not, for people.
extension SharedItems {
    /// The number of shared items in each access group. Those that do not open now are left out.
    package func sharedItemsByGroup() throws(CallFailure) -> [String: Int] {
        try counting { row, isListed throws(Setback) in
            guard isListed, let item = try opened(row) else { return nil }
            return item.accessGroup
        }
    }

    /// The number of synchronizable items that stay on this device, by the reason. Those that do not open now are left out.
    package func localItems() throws(CallFailure) -> [SharingObstacle: Int] {
        let allowed = circle.keys?.allowedGroups ?? []
        return try counting { row, isListed throws(Setback) in
            guard !isListed, let item = try opened(row) else { return nil }
            if let obstacle = SharingRules.obstacle(to: item) { return obstacle }
            if !SharingRules.shares(group: item.accessGroup, allowed: allowed) { return .group }
            // Small ones wait for their name, which takes no time.
            return circle.keys == nil ? nil : .tooLarge
        }
    }

    private func opened(_ row: ItemRow) throws(Setback) -> StoredItem? {
        do throws(Setback) {
            return try sealing.item(of: row)
        } catch .key {
            return nil
        }
    }

    private func counting<Key: Hashable>(
        _ key: (ItemRow, _ isListed: Bool) throws(Setback) -> Key?
    ) throws(CallFailure) -> [Key: Int] {
        var counts: [Key: Int] = [:]
        do throws(Setback) {
            let listed = try store.read { reader in Set(try reader.syncItems().compactMap(\.place)) }
            for schema in ItemSchema.all {
                let waiting = try store.read { reader in
                    Set(try reader.unnamedRows(of: schema.itemClass, after: 0, limit: .max))
                }
                var last: Int64 = 0
                while true {
                    var filter = RowFilter(itemClass: schema.itemClass)
                    filter.isSynchronizable = true
                    let page = try store.rows(matching: filter, after: last, limit: Self.pageSize, withSecret: false)
                    for row in page where !waiting.contains(row.place) {
                        if let key = try key(row, listed.contains(row.place)) { counts[key, default: 0] += 1 }
                    }
                    guard page.count == Self.pageSize, let end = page.last else { break }
                    last = end.rowID
                }
            }
        } catch {
            throw CallFailure(error)
        }
        return counts
    }

    private static let pageSize = 256
}
