internal import LatchkeyItemDatabase
internal import LatchkeySyncCore

/// The changes of programs, as the replica takes them.
struct LocalChanges {
    private(set) var changes: [StampedChange] = []

    private static let portionCount = 256

    /// Divides changes, in the order of their numbers. The two names of a primary key change stay together.
    static func portions(of rows: [SyncChangeRow]) -> [[SyncChangeRow]] {
        let rows = rows.sorted { $0.number < $1.number }
        let places = Dictionary(rows.enumerated().map { ($1.name, $0) }) { $1 }
        var portions: [[SyncChangeRow]] = []
        var start = 0
        while start < rows.count {
            var end = min(start + portionCount, rows.count)
            var next = start
            while next < end {
                if let partner = rows[next].partner.flatMap({ places[$0] }) { end = max(end, partner + 1) }
                next += 1
            }
            portions.append(Array(rows[start..<end]))
            start = end
        }
        return portions
    }

    /// - Parameters:
    ///   - content: of a row; nil if it does not open now.
    ///   - modified: the modification date of a row that does not open now.
    init(
        _ rows: [SyncChangeRow], content: (ItemName) -> ItemContent?, modified: (ItemName) -> UInt64 = { _ in 0 }
    ) {
        // Old and new names of the renames that are still reported as such: neither has changed again.
        let deletions = Set(
            rows.compactMap { row in row.kind == .deletedEverywhere ? row.partner.map { [row.name, $0] } : nil })
        let renames = Set(
            rows.compactMap { row in row.kind == .put ? row.partner.map { [$0, row.name] } : nil }
        ).intersection(deletions)
        for row in rows.sorted(by: { $0.number < $1.number }) {
            guard let name = ItemName(row.name) else { continue }
            switch row.kind {
            case .put:
                guard let shared = row.content,
                    let now = content(name) ?? ItemContent(unopened: shared, modified: modified(name))
                else { continue }
                if let partner = row.partner, renames.contains([partner, row.name]), let former = ItemName(partner) {
                    append(.rename(from: former, to: name, now), row)
                } else {
                    append(.put(name, now), row)
                }
            case .deletedEverywhere:
                // A part of a rename, which the new name reports.
                if let partner = row.partner, renames.contains([row.name, partner]) { continue }
                append(.delete(name, leavesTombstone: true), row)
            case .deletedHere: append(.delete(name, leavesTombstone: false), row)
            }
        }
    }

    private mutating func append(_ change: LocalChange, _ row: SyncChangeRow) {
        changes.append(StampedChange(change, ChangeStamp(row.stamp)))
    }
}

extension ItemContent {
    /// The content of a row that does not open now. It is looked at again before it is sealed.
    init?(unopened shared: SharedContent, modified: UInt64) {
        guard let digest = ObjectHash(shared.digest), let zone = ZoneClass(rawValue: shared.zone) else { return nil }
        self.init(digest: digest, dates: ItemDates(created: 0, modified: modified), zone: zone, byteCount: 0)
    }
}

extension ChangeStamp {
    init(_ row: SyncStampRow) {
        self =
            switch row {
            case .none, .namedAgain: .none(isRestored: false)
            case .restored: .none(isRestored: true)
            case .call(let clock): .made(LatchkeySyncCore.DeviceClock(clock))
            case .waitingCall(let epoch, _): .awaitsEpoch(after: EpochNumber(epoch))
            }
    }
}
