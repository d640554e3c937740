import LatchkeySyncCore

/// A row that waits for its name and not with a call, when a change of another device comes for its item.
struct WaitingItem {
    let digest: ObjectHash
    private let modified: UInt64
    private let isRestored: Bool
    /// True if the row has something that no version has.
    let isChanged: Bool
    /// True if a copy of the row is kept when it goes.
    let isKept: Bool

    /// - Parameters:
    ///   - known: the time of the version that the device had before, of a row that is linked to it.
    ///   - rules: off, the dates tell whether the row has changed.
    init?(_ unnamed: UnnamedRow?, _ row: SimulatedRow?, over known: UInt64?, _ rules: WritingRules) {
        guard let unnamed, let row, !unnamed.note.stamp.isOfCall else { return nil }
        digest = row.digest
        modified = row.content.dates.modified
        isRestored = unnamed.note.stamp == .none(isRestored: true)
        let isDatedLater = known.map { row.content.dates.modified > $0 } ?? true
        let isOther = rules.namedAgainIsStored ? !unnamed.isNamedAgain : !unnamed.isLinked || isDatedLater
        isChanged = isRestored || isOther
        isKept = isChanged || isDatedLater
    }

    func loses(toDeletionAt time: UInt64?) -> Bool {
        guard isChanged else { return true }
        return isRestored && time.map { $0 > modified } ?? false
    }
}
