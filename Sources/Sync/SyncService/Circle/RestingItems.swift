internal import LatchkeyItemDatabase
internal import LatchkeyKeychainService
internal import LatchkeySyncCore

/// The numbers of items of a device that exchanges nothing.
///
/// Programs go on writing meanwhile. Their changes have no versions yet, and new rows have no names, because these need keys that are lent
/// only while the circle works.
struct RestingItems {
    /// The changes of this device that the store is not known to have.
    let waitingChanges: Int
    let sharedItems: Int
    /// The rows without names that stay on this device.
    let unnamedLocalItems: [SharingObstacle: Int]

    init(
        _ device: DeviceIdentifier, _ state: ReplicaState, _ rows: [SyncItemRow], _ changes: [SyncChangeRow],
        _ unnamed: [RowPlace: SharingObstacle?]
    ) {
        let listed = rows.compactMap { row in row.place.map { ($0, row.name) } }
        let names = Dictionary(listed) { $1 }
        let unshared = unnamed.filter { $0.value != nil }
        sharedItems = Set(names.keys).union(unnamed.keys).subtracting(unshared.keys).count
        unnamedLocalItems = unshared.values.reduce(into: [:]) { counts, obstacle in
            if let obstacle { counts[obstacle, default: 0] += 1 }
        }
        var waiting = Set(changes.map(\.name))
        for (name, item) in state.items {
            guard let dot = item.dot else {
                waiting.insert(name.bytes)
                continue
            }
            if dot.stream.device == device, dot.number > state.confirmed[dot.stream.zone] { waiting.insert(name.bytes) }
        }
        var withoutName = 0
        for (place, obstacle) in unnamed {
            // A row that was shared and is not any more waits as well: the others hear of it.
            if let name = names[place] { waiting.insert(name) } else if obstacle == nil { withoutName += 1 }
        }
        waitingChanges = waiting.count + withoutName
    }
}
