import LatchkeyCodeSignature
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeyThreading

/// The owner's programs and groups that `latchkey adopt` recorded, in addition to those that the daemon knows by
/// itself. They are cached, so that they cost a call nothing.
final class OwnersRegistry: Sendable {
    /// The maximum length of either list.
    static let limit = 64
    /// Private groups of programs that are the owner's tool as well. Each was added with the passcode.
    private static let toolsSetting = "owners-tools"
    /// Groups that belong to the owner's tool because some of its items there could not be moved.
    private static let homesSetting = "owners-homes"

    /// A former home, and those of its items that are the owner's.
    struct Home: Sendable, Equatable {
        let accessGroup: String
        let items: AdoptedItems
    }

    struct Lists: Sendable, Equatable {
        var tools: [String] = []
        var homes: [Home] = []
    }

    private let store: ItemStore
    private let known = ForkMutex<Lists?>(nil)

    init(store: ItemStore) {
        self.store = store
    }

    /// Returns empty lists if the database cannot be read: then no program is taken for the tool by mistake.
    func lists() -> Lists {
        known.withLock { known in
            if let known { return known }
            guard let read = try? store.read({ try Self.read($0) }) else { return Lists() }
            known = read
            return read
        }
    }

    /// Returns the caller with the groups of the owner's tool, if it is the tool: according to the daemon for a program
    /// of this installation, and according to `latchkey adopt` for another one.
    func withOwnersGroups(_ caller: Caller) -> Caller {
        // A caller without groups does not get any, whether the reason is the program or a demand of the device.
        guard !caller.accessGroups.isEmpty, caller.refusal == nil, !caller.isDenied else { return caller }
        let lists = lists()
        guard caller.isOwnersTool || isAdopted(caller, lists) else { return caller }
        var tool = caller
        tool.isOwnersTool = true
        for home in lists.homes where !caller.accessGroups.contains(home.accessGroup) {
            tool.adoptedItems[home.accessGroup] = home.items
        }
        let others = caller.accessGroups + lists.homes.map(\.accessGroup)
        tool.accessGroups = others.reduce(into: [OwnersGroup.name]) { groups, group in
            if !groups.contains(group) { groups.append(group) }
        }
        return tool
    }

    /// Returns true if the program was adopted. An unsigned program has one group, which no other program has.
    private func isAdopted(_ caller: Caller, _ lists: Lists) -> Bool {
        guard !lists.tools.isEmpty, caller.application == nil, caller.accessGroups.count == 1 else { return false }
        return lists.tools.contains(caller.accessGroups[0])
    }

    /// Adds to the list of tools. Existing entries stay.
    func add(tools: [String]) throws(Setback) {
        defer { forgetCached() }
        try store.write { writer in
            var lists = try Self.read(writer.reader)
            lists.tools += tools.filter { !lists.tools.contains($0) }
            guard lists.tools.count <= Self.limit else { throw Setback.call(.tooManyTools) }
            try Self.write(lists, writer)
        }
    }

    /// Replaces the list of homes, without those that no longer have items. Homes of the former list come first.
    /// - Parameter items: the items that the homes held when they were adopted.
    /// - Returns: the number of homes that have items and did not fit into the list.
    func keep(homes: [String], _ items: AdoptedItems) throws(Setback) -> Int {
        defer { forgetCached() }
        return try store.write { writer in
            var lists = try Self.read(writer.reader)
            let former = lists.homes.map(\.accessGroup)
            let candidates = homes.filter { former.contains($0) } + homes.filter { !former.contains($0) }
            let inUse = try candidates.filter { try writer.reader.itemCount(inAccessGroup: $0) > 0 }
            lists.homes = inUse.prefix(Self.limit).map { Home(accessGroup: $0, items: items) }
            try Self.write(lists, writer)
            return inUse.count - lists.homes.count
        }
    }

    /// Removes every program from the list of tools, and every group from the list of homes.
    /// - Returns: the number of tools that were removed.
    func removeAll() throws(Setback) -> Int {
        defer { forgetCached() }
        return try store.write { writer in
            let old = try Self.read(writer.reader)
            try Self.write(Lists(), writer)
            return old.tools.count
        }
    }

    func forgetCached() {
        known.withLock { $0 = nil }
    }

    private static func write(_ lists: Lists, _ writer: ItemWriter) throws(ItemDatabaseFailure) {
        let homes: [PropertyValue] = lists.homes.map { home in
            .array([.string(home.accessGroup), .integer(home.items.lastRow), .integer(home.items.lastChange)])
        }
        for (name, list) in [(toolsSetting, lists.tools.map { .string($0) }), (homesSetting, homes)] {
            try writer.set(DERWriter.encode(.array(list)), named: name)
        }
    }

    private static func read(_ reader: ItemReader) throws(ItemDatabaseFailure) -> Lists {
        let tools = try list(toolsSetting, reader).compactMap { formerHome($0) }
        // Earlier versions wrote only the groups. Nothing says which of their items were adopted, so they are not
        // homes.
        let homes = try list(homesSetting, reader).compactMap { value -> Home? in
            guard case .array(let parts) = value, parts.count == 3, let group = formerHome(parts[0]),
                case .integer(let lastRow) = parts[1], case .integer(let lastChange) = parts[2]
            else { return nil }
            return Home(accessGroup: group, items: AdoptedItems(lastRow: lastRow, lastChange: lastChange))
        }
        return Lists(tools: tools, homes: homes)
    }

    /// Returns the group of a home. Nil for a name of another form, which this device cannot have written.
    private static func formerHome(_ value: PropertyValue) -> String? {
        guard case .string(let group) = value, OwnersGroup.isFormerHome(group) else { return nil }
        return group
    }

    private static func list(_ name: String, _ reader: ItemReader) throws(ItemDatabaseFailure) -> [PropertyValue] {
        guard let bytes = try reader.setting(named: name) else { return [] }
        guard case .array(let values)? = try? DERReader.decode(bytes) else {
            throw .damaged("the setting \(name) cannot be read")
        }
        return values
    }
}

extension CallFailure {
    fileprivate static let tooManyTools = CallFailure(.notAvailable, .tooManyOwnerTools, OwnersRegistry.limit)

    /// - Parameter left: the number of places that were left out.
    static func tooManyHomes(_ left: Int) -> CallFailure {
        CallFailure(.notAvailable, .tooManyFormerPlaces, OwnersRegistry.limit, left)
    }
}
