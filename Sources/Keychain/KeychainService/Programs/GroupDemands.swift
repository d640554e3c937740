import LatchkeyCodeSignature
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyThreading

/// The assurance levels that programs demand for themselves, by access group.
///
/// A program that demands a level protects its items from every program below that level. The owner's passcode does not
/// give access there either: other software of the user may have learnt it. So a demand outlives the program that made
/// it, and can only be raised. It ends when the app is forgotten together with its items, or with an erasure.
final class GroupDemands: Sendable {
    private static let prefix = "demanded-level/"

    private let store: ItemStore
    /// Nil until it is read, and after an erasure.
    private let known = ForkMutex<[String: AssuranceLevel]?>(nil)

    init(store: ItemStore) {
        self.store = store
    }

    /// Records that a program of these groups demands the level for itself.
    func note(_ level: AssuranceLevel, for groups: [String]) throws(Setback) {
        let demands = try all()
        let raised = groups.filter { AccessGroupList.isOwnable($0) && demands[$0] ?? .c < level }
        guard !raised.isEmpty else { return }
        defer { forgetCached() }
        try store.write { writer in
            for group in raised {
                // Another program of the group may have demanded a higher level since.
                let stored = try writer.reader.setting(named: Self.prefix + group).map(Self.level)
                guard stored ?? .c < level else { continue }
                try writer.set(Array(level.rawValue.utf8), named: Self.prefix + group)
            }
        }
    }

    /// Returns the groups that a program of this level may not access with the owner's passcode, with the demanded
    /// levels.
    func groups(above level: AssuranceLevel) throws(Setback) -> [String: AssuranceLevel] {
        try all().filter { $0.value > level }
    }

    /// Removes the demands of groups whose items are removed in this transaction.
    static func remove(of groups: [String], _ writer: ItemWriter) throws(ItemDatabaseFailure) {
        for group in groups { try writer.removeSetting(named: prefix + group) }
    }

    func forgetCached() {
        known.withLock { $0 = nil }
    }

    /// Returns all demands. Reads under the lock: values from before a change must not be cached after it.
    private func all() throws(Setback) -> [String: AssuranceLevel] {
        try known.withLock { known throws(Setback) in
            if let known { return known }
            let read = try store.read { try $0.settings(withPrefix: Self.prefix) }.mapValues(Self.level)
            known = read
            return read
        }
    }

    /// Returns the level. A letter that is not a level comes from a newer version or from damage: the strongest level
    /// protects the items then.
    private static func level(_ bytes: [UInt8]) -> AssuranceLevel {
        AssuranceLevel(rawValue: String(decoding: bytes, as: UTF8.self)) ?? .a
    }
}
