package import LatchkeyItemDatabase
import LatchkeyItemModel

/// Counts of items that are shared, and of items that are not, for people.
extension SharedItems {
    /// The number of shared items in each access group. Those that do not open now are left out.
    package func sharedItemsByGroup() throws(CallFailure) -> [String: Int] {
        try counting(
            { reader throws(ItemDatabaseFailure) in try reader.syncItems().compactMap(\.place) }, by: \.accessGroup)
    }

    /// The number of synchronizable items that stay on this device, by the reason. Those that do not open now are left out.
    /// - Parameter groups: the groups that the circle allows. Nil for those of the keys that are lent.
    package func localItems(allowing groups: Set<String>? = nil) throws(CallFailure) -> [SharingObstacle: Int] {
        let known = groups ?? circle.keys?.allowedGroups
        let allowed = known ?? []
        let hasKeys = known != nil
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

    /// The rows that wait to be named, as far as they open now, and for each the reason for which it stays on this device; nil if it is
    /// shared once it has its name.
    /// - Parameter groups: the groups that the circle allows.
    package func unnamedItems(allowing groups: Set<String>) throws(CallFailure) -> [RowPlace: SharingObstacle?] {
        var found: [RowPlace: SharingObstacle?] = [:]
        try forEachItem { reader throws(ItemDatabaseFailure) in
            var places: [RowPlace] = []
            for schema in ItemSchema.all {
                places += try reader.unnamedRows(of: schema.itemClass, after: 0, limit: .max)
            }
            return places
        } visit: { place, item in
            let isOfSharedGroup = SharingRules.shares(group: item.accessGroup, allowed: groups)
            let obstacle = SharingRules.obstacle(to: item) ?? (isOfSharedGroup ? nil : .group)
            found.updateValue(obstacle, forKey: place)
        }
        return found
    }

    private func counting<Key: Hashable>(
        _ places: (ItemReader) throws(ItemDatabaseFailure) -> [RowPlace], by key: (StoredItem) -> Key?
    ) throws(CallFailure) -> [Key: Int] {
        var counts: [Key: Int] = [:]
        try forEachItem(places) { _, item in
            if let key = key(item) { counts[key, default: 0] += 1 }
        }
        return counts
    }

    /// Opens the rows at the places, some of them in each transaction.
    private func forEachItem(
        _ places: (ItemReader) throws(ItemDatabaseFailure) -> [RowPlace], visit body: (RowPlace, StoredItem) -> Void
    ) throws(CallFailure) {
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
                    if let item = try opened(row) { body(row.place, item) }
                }
            }
        } catch {
            throw CallFailure(error)
        }
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
