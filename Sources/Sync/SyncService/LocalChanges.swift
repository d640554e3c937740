internal import LatchkeyItemDatabase
internal import LatchkeySyncCore

/// The changes of programs, as the replica takes them.
struct LocalChanges {
    private(set) var changes: [LocalChange] = []

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

    /// - Parameter content: of a row; nil if it does not open now.
    init(_ rows: [SyncChangeRow], content: (ItemName) -> ItemContent?) {
        // Old and new names of the renames that are still reported as such.
        let renames = Set(rows.compactMap { row in row.kind == .put ? row.partner.map { [$0, row.name] } : nil })
        for row in rows.sorted(by: { $0.number < $1.number }) {
            guard let name = ItemName(row.name) else { continue }
            switch row.kind {
            case .put:
                guard let shared = row.content, let now = content(name) ?? ItemContent(unopened: shared) else {
                    continue
                }
                if let former = row.partner.flatMap({ ItemName($0) }) {
                    changes.append(.rename(from: former, to: name, now))
                } else {
                    changes.append(.put(name, now))
                }
            case .deletedEverywhere:
                // A part of a rename, which the new name reports.
                if let partner = row.partner, renames.contains([row.name, partner]) { continue }
                changes.append(.delete(name, leavesTombstone: true))
            case .deletedHere: changes.append(.delete(name, leavesTombstone: false))
            }
        }
    }
}

extension ItemContent {
    /// The content of a row that does not open now. It is looked at again before it is sealed.
    init?(unopened shared: SharedContent) {
        guard let digest = ObjectHash(shared.digest), let zone = ZoneClass(rawValue: shared.zone) else { return nil }
        self.init(digest: digest, dates: ItemDates(created: 0, modified: 0), zone: zone, byteCount: 0)
    }
}
