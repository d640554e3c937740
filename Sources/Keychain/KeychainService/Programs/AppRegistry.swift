import LatchkeyCodeSignature
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeyThreading

/// The programs that have used this device.
final class AppRegistry: Sendable {
    static let limit = RegisteredApplication.listLimit
    /// The option that decides about the items of a forgotten app: one byte, 1 for true.
    private static let removalOption = "removes-items-of-forgotten-apps"

    private struct State {
        /// The rows that this process wrote or read, by application.
        var known: [String: AppRow] = [:]
        var changeCount = 0
    }

    private let store: ItemStore
    private let clock: any DeviceClock
    private let state = ForkMutex(State())

    init(store: ItemStore, clock: any DeviceClock) {
        self.store = store
        self.clock = clock
    }

    /// Records a program, if there is anything new about it.
    func note(_ app: SeenApplication) throws(Setback) {
        let now = clock.wallTime().microsecondsSince2001
        let (known, changes) = state.withLock { ($0.known[app.application], $0.changeCount) }
        if let known, known.tells(app, at: now) { return }
        let kept = try store.write { writer -> AppRow? in
            let old = try writer.reader.app(app.application)
            if let old, old.tells(app, at: now) { return old }
            if old == nil, try writer.reader.appCount() >= Self.limit, try !writer.deleteOldestUnsignedApp() {
                return nil
            }
            let row = AppRow(app, firstSeen: old?.firstSeen ?? now, lastSeen: now)
            try writer.setApp(row)
            return row
        }
        guard let kept else { return }
        state.withLock { state in
            guard state.changeCount == changes else { return }
            // Unsigned programs can have any number of names.
            if state.known.count >= Self.limit { state.known = [:] }
            state.known[app.application] = kept
        }
    }

    func forgetCached() {
        state.withLock { state in
            state.known = [:]
            state.changeCount += 1
        }
    }

    /// Returns all apps, each with the number of items in its groups.
    func all() throws(Setback) -> [RegisteredApplication] {
        try store.read { reader in
            var counts: [String: Int64] = [:]
            return try reader.apps().map { row in
                let groups = try row.accessGroups()
                var count: Int64 = 0
                for group in Set(groups).filter(AccessGroupList.isOwnable) {
                    let items = try counts[group] ?? reader.itemCount(inAccessGroup: group)
                    counts[group] = items
                    count += items
                }
                return try RegisteredApplication(row, groups: groups, itemCount: count)
            }
        }
    }

    /// Forgets an app and, if wanted, the items of those groups that no other app has.
    /// - Parameters:
    ///   - removesItems: nil for the value of the option.
    ///   - willRemove: removes other things that end with the items of the groups, in the same transaction and before
    ///     them.
    /// - Returns: the number of removed items.
    func forget(
        _ application: String, removesItems: Bool?,
        willRemove: @escaping (_ groups: [String], ItemWriter) throws(Setback) -> Void
    ) throws(Setback) -> Int {
        defer { forgetCached() }
        return try store.write { writer in
            guard let row = try writer.reader.app(application) else {
                throw Setback.call(.unknownApplication(application))
            }
            try writer.deleteApp(application)
            guard try removesItems ?? Self.option(writer.reader) else { return 0 }
            let kept = try writer.reader.apps().reduce(into: Set<String>()) { try $0.formUnion($1.accessGroups()) }
            let groups = Set(try row.accessGroups()).subtracting(kept).filter(AccessGroupList.isOwnable).sorted()
            let count = try groups.reduce(0) { try $0 + writer.reader.itemCount(inAccessGroup: $1) }
            try willRemove(groups, writer)
            try GroupDemands.remove(of: groups, writer)
            _ = try writer.deleteRows(inAccessGroups: groups)
            return Int(count)
        }
    }

    func removesItems() throws(Setback) -> Bool {
        try store.read { try Self.option($0) }
    }

    func setRemovesItems(_ removes: Bool) throws(Setback) {
        try store.write { try $0.set([removes ? 1 : 0], named: Self.removalOption) }
    }

    private static func option(_ reader: ItemReader) throws(ItemDatabaseFailure) -> Bool {
        try reader.setting(named: removalOption) == [1]
    }
}

extension AppRow {
    fileprivate init(_ app: SeenApplication, firstSeen: Int64, lastSeen: Int64) {
        self.init(
            application: app.application, team: app.team?.text, level: app.level.rawValue,
            groups: Self.encoded(app.accessGroups), digest: app.digest, path: app.path, firstSeen: firstSeen,
            lastSeen: lastSeen)
    }

    private static func encoded(_ groups: [String]) -> [UInt8] {
        DERWriter.encode(.array(groups.map { .string($0) }))
    }

    /// The record of a program is renewed when it is this old.
    private static let freshMicroseconds: UInt64 = 24 * 60 * 60 * 1_000_000

    /// Returns true if the row describes the program as it is now, and is not older than a day.
    fileprivate func tells(_ app: SeenApplication, at now: Int64) -> Bool {
        let (age, overflows) = now.subtractingReportingOverflow(lastSeen)
        guard !overflows, age.magnitude < Self.freshMicroseconds else { return false }
        return self == AppRow(app, firstSeen: firstSeen, lastSeen: lastSeen)
    }

    func accessGroups() throws(ItemDatabaseFailure) -> [String] {
        guard case .array(let values)? = try? DERReader.decode(groups) else {
            throw .damaged("the groups of app \(application) cannot be read")
        }
        return values.compactMap { if case .string(let group) = $0 { group } else { nil } }
    }
}

extension RegisteredApplication {
    fileprivate init(_ row: AppRow, groups: [String], itemCount: Int64) throws(ItemDatabaseFailure) {
        let team = row.team.flatMap { TeamIdentifier($0) }
        guard let level = AssuranceLevel(rawValue: row.level), (row.team == nil) == (team == nil) else {
            throw .damaged("the row of app \(row.application) cannot be read")
        }
        self.init(
            seen: SeenApplication(
                application: row.application, team: team, level: level, accessGroups: groups, digest: row.digest,
                path: row.path),
            firstSeen: WallTime(microsecondsSince2001: row.firstSeen),
            lastSeen: WallTime(microsecondsSince2001: row.lastSeen),
            itemCount: itemCount)
    }
}

extension CallFailure {
    fileprivate static func unknownApplication(_ application: String) -> CallFailure {
        CallFailure(.itemNotFound, .appNotKnown, application)
    }
}
