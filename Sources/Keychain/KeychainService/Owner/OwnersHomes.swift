import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyThreading

/// The groups in which programs known by their paths have items: former paths of the owner's tool, and other builds of
/// a program.
final class OwnersHomes: Sendable {
    private let store: ItemStore
    private let owners: OwnersRegistry
    /// The homes of programs with a name, as they were when one of these programs last found nothing.
    private let recentHomes = ForkMutex(RecentHomes())

    init(store: ItemStore, owners: OwnersRegistry) {
        self.store = store
        self.owners = owners
    }

    /// Drops the cached homes, after items moved or the device was erased.
    func forgetRecent() {
        recentHomes.withLock { $0 = RecentHomes() }
    }

    /// Returns the items that exist now, for homes that are adopted.
    func presentItems() -> AdoptedItems {
        let now = store.nowMicroseconds()
        return AdoptedItems(lastRow: store.newRowNumber(at: now), lastChange: now)
    }

    /// Returns the groups of former tools that have items, except the named ones; at most `limit`.
    func former(
        besides known: [String], limit: Int = OwnersTool.formerHomeLimit
    ) throws(Setback) -> [FormerHome] {
        try homes(ofPrograms: OwnersGroup.toolName, limit: limit) {
            OwnersGroup.isFormerHome($0) && !known.contains($0)
        }
    }

    /// Returns the groups of former tools with items that are not the tool's until the owner adopts them, and their
    /// numbers.
    private func unadoptedHomes() throws(Setback) -> [FormerHome] {
        let adopted = owners.lists().homes
        let homes = try former(besides: [])
        return try store.read { reader in
            try homes.compactMap { home in
                guard let items = adopted.first(where: { $0.accessGroup == home.accessGroup })?.items else {
                    return home
                }
                let count = try reader.itemCount(inAccessGroup: home.accessGroup, notAmong: items)
                return count == 0 ? nil : FormerHome(accessGroup: home.accessGroup, path: home.path, itemCount: count)
            }
        }
    }

    /// Returns the private groups of programs with one name that have items and are wanted; at most `limit`. A group
    /// that holds only tombstones does not count.
    private func homes(
        ofPrograms name: String, limit: Int = OwnersTool.formerHomeLimit,
        where isWanted: (String) -> Bool = { _ in true }
    ) throws(Setback) -> [FormerHome] {
        try store.read { reader in
            // Programs whose names only begin with this name must not count against the limit.
            let groups = try PrivateGroup.prefixes(ofProgram: name).flatMap { prefix in
                try reader.accessGroups(beginningWith: prefix) { group in
                    PrivateGroup(group)?.program == name && isWanted(group)
                }
            }
            guard !groups.isEmpty else { return [] }
            var paths: [String: String] = [:]
            for app in try reader.apps() where app.team == nil {
                for group in try app.accessGroups() { paths[group] = app.path }
            }
            var homes: [FormerHome] = []
            for group in groups where homes.count < limit {
                let count = try reader.itemCount(inAccessGroup: group)
                guard count > 0 else { continue }
                homes.append(FormerHome(accessGroup: group, path: paths[group], itemCount: count))
            }
            return homes
        }
    }

    /// Returns the homes of programs with a name, for the refusal of a call that found nothing.
    func recent(ofPrograms name: String, besides known: [String]) throws(Setback) -> [FormerHome] {
        try recent(.ofPrograms(name), besides: known) { () throws(Setback) in try homes(ofPrograms: name) }
    }

    /// Returns the homes with items that an adoption would find and the tool does not, for the same refusal.
    func recentUnadopted(of tool: Caller) throws(Setback) -> [FormerHome] {
        let own = tool.accessGroups.filter { tool.adoptedItems[$0] == nil }
        return try recent(.unadopted, besides: own) { () throws(Setback) in try unadoptedHomes() }
    }

    private func recent(
        _ question: RecentHomes.Question, besides known: [String], _ read: () throws(Setback) -> [FormerHome]
    ) throws(Setback) -> [FormerHome] {
        let uptime = store.clock.uptime()
        let all = try recentHomes.withLock { recentHomes throws(Setback) in
            try recentHomes.homes(question, uptime: uptime, read)
        }
        return all.filter { !known.contains($0.accessGroup) }
    }
}
