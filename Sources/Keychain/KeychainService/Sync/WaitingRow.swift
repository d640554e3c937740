import LatchkeyItemDatabase
import LatchkeyItemModel

/// A row that waits for its name and not with a call, when a change of another device comes for its item: one without a
/// version, of a backup for instance, or one that is named again because the rules or the identity of the device are
/// other ones.
struct WaitingRow {
    private let modified: UInt64
    private let isRestored: Bool
    /// True if the row has something that no version has. One that is only named again is as its version, and goes with
    /// whatever comes.
    let isChanged: Bool
    /// True if a copy of the row is kept when it goes. Besides those that have changed, that is a row which is dated
    /// after its version: a file of format 8 did not say whether a call had written it. Dates decide about nothing but
    /// the copy.
    let isKept: Bool

    /// - Parameter known: the time of the version that this device had before; nil if it had none.
    /// - Returns: nil if the row does not wait, or a call waits in it: nothing that other devices wrote is applied
    ///   then.
    init?(_ row: ItemRow, over known: UInt64?, _ reader: ItemReader) throws(Setback) {
        guard let stamp = try onDisk(reader.stampOfUnnamed(row.place)), !stamp.isOfCall else { return nil }
        let time = UInt64(clamping: row.modificationDate)
        modified = time
        isRestored = stamp == .restored
        isChanged = stamp != .namedAgain
        isKept = isChanged || known.map { time > $0 } ?? true
    }

    /// Returns true if the row goes with a deletion: a restored one with a newer deletion, and one that has not changed
    /// with any.
    func loses(toDeletionAt time: UInt64?) -> Bool {
        guard isChanged else { return true }
        return isRestored && time.map { $0 > modified } ?? false
    }
}
