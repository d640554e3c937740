import LatchkeySyncCore

/// A row without a version that waits for its name, when a change of another device comes for its item.
struct WaitingItem {
    let digest: ObjectHash
    private let modified: UInt64
    private let isRestored: Bool
    /// True if the row has something that no version has, as far as the dates tell.
    let isChanged: Bool

    /// - Parameter known: the time of the version that the device had before, of a row that is linked to it.
    init?(_ unnamed: UnnamedRow?, _ row: SimulatedRow?, over known: UInt64?) {
        guard let unnamed, let row, !unnamed.note.stamp.isOfCall else { return nil }
        digest = row.digest
        modified = row.content.dates.modified
        isRestored = unnamed.note.stamp == .none(isRestored: true)
        isChanged = isRestored || !unnamed.isLinked || known.map { row.content.dates.modified > $0 } ?? true
    }

    func loses(toDeletionAt time: UInt64?) -> Bool {
        guard isChanged else { return true }
        return isRestored && time.map { $0 > modified } ?? false
    }
}
