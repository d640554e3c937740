/// The statements of `syncdeleted`: deletions whose tombstones were forgotten. An item of an old backup has to know of them.
extension ItemWriter {
    /// The number of forgotten deletions that are kept. Those of the earliest time go first.
    package static let forgottenDeletionLimit: Int64 = 100_000
    /// The time that they are kept: five years, in microseconds.
    package static let forgottenDeletionAge: Int64 = 5 * 366 * 86_400_000_000

    /// Keeps name and time of a deletion whose tombstone is forgotten.
    package func noteForgottenDeletion(of name: [UInt8], at time: UInt64) throws(ItemDatabaseFailure) {
        // Times have no sign, and here their order counts.
        let time = ColumnValue.integer(Int64(clamping: time))
        try connection.run(
            """
            INSERT INTO syncdeleted (name, time) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET time = max(time, excluded.time)
            """, [.bytes(name), time])
    }

    /// Ends what is too old, or too much.
    package func forgetOldDeletions() throws(ItemDatabaseFailure) {
        let oldest = Int64(clamping: connection.now) - Self.forgottenDeletionAge
        try connection.run("DELETE FROM syncdeleted WHERE time < ?", [.integer(oldest)])
        guard
            let last = try connection.integer(
                "SELECT time FROM syncdeleted ORDER BY time DESC LIMIT 1 OFFSET ?",
                [.integer(Self.forgottenDeletionLimit)])
        else { return }
        try connection.run("DELETE FROM syncdeleted WHERE time <= ?", [.integer(last)])
    }
}

/// The deletion of a name that a restored item meets.
package enum SyncDeletion: Sendable, Hashable {
    /// A deletion that the circle knows of, or knew of.
    case known(time: UInt64)
    /// A call of this device that no version of the item has yet.
    case waiting(time: UInt64)

    package var time: UInt64 {
        switch self {
        case .known(let time), .waiting(let time): time
        }
    }
}

extension ItemReader {
    /// Returns the deletion that is the last that the device knows of a name; nil if something was written after it.
    package func syncDeletion(of name: [UInt8]) throws(ItemDatabaseFailure) -> SyncDeletion? {
        if let change = try syncChange(of: name) {
            guard change.kind == .deletedEverywhere, let time = change.stamp.time else { return nil }
            return .waiting(time: time)
        }
        if let known = try syncItem(named: name)?.known {
            return known.isGone ? .known(time: known.time) : nil
        }
        let time = try connection.integer("SELECT time FROM syncdeleted WHERE name = ?", [.bytes(name)])
        return time.map { .known(time: UInt64(clamping: $0)) }
    }
}

extension SyncVersionRow {
    /// The number of a tombstone among the states.
    private static let gone: UInt8 = 2

    fileprivate var isGone: Bool { state == Self.gone }

    /// The time in the version, behind the number of the epoch.
    package var time: UInt64 { version.dropFirst(4).prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
