import LatchkeyItemDatabase
import LatchkeyItemModel

/// A row without a version that waits for its name, when a change of another device comes for its item: one of a backup, or one that is
/// named again because the rules or the identity of the device are other ones.
struct WaitingRow {
    private let modified: UInt64
    private let isRestored: Bool
    /// True if the row has something that no version has, as far as the dates tell. One that is only named again is as it was.
    let isChanged: Bool

    /// - Parameter known: the time of the version that this device had before; nil if it had none.
    /// - Returns: nil if the row does not wait, or a call waits in it: nothing that other devices wrote is applied then.
    init?(_ row: ItemRow, over known: UInt64?, _ reader: ItemReader) throws(Setback) {
        guard let stamp = try onDisk(reader.stampOfUnnamed(row.place)), !stamp.isOfCall else { return nil }
        let time = UInt64(clamping: row.modificationDate)
        modified = time
        isRestored = stamp == .restored
        // A version is made after its content.
        isChanged = isRestored || known.map { time > $0 } ?? true
    }

    /// Returns true if the row goes with a deletion: a restored one with a newer deletion, and one that has not changed with any.
    func loses(toDeletionAt time: UInt64?) -> Bool {
        guard isChanged else { return true }
        return isRestored && time.map { $0 > modified } ?? false
    }
}
