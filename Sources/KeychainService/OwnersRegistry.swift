import LatchkeyCodeSignature
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Synchronization

/// Which programs and which groups are the owner's beside what the daemon knows by itself: what `latchkey adopt` wrote
/// down. From memory, so that a call costs nothing for it.
final class OwnersRegistry: Sendable {
    /// The most that either list holds.
    static let limit = 64
    /// Private groups of the programs that are the owner's tool as well. Each was named with the passcode.
    private static let toolsSetting = "owners-tools"
    /// Groups that belong to the owner's tool because it has items there that could not be moved.
    private static let homesSetting = "owners-homes"

    struct Lists: Sendable, Equatable {
        var tools: [String] = []
        var homes: [String] = []
    }

    private let database: ItemDatabase
    private let known = Mutex<Lists?>(nil)

    init(database: ItemDatabase) {
        self.database = database
    }

    /// Empty lists where the database cannot be read: then no program is taken for the tool by mistake.
    func lists() -> Lists {
        known.withLock { known in
            if let known { return known }
            guard let read = try? database.read({ try Self.read($0) }) else { return Lists() }
            known = read
            return read
        }
    }

    /// Adds to the list of tools; what is there stays.
    func add(tools: [String]) throws {
        defer { forgetCached() }
        try database.write { writer in
            var lists = try Self.read(writer.reader)
            lists.tools += tools.filter { !lists.tools.contains($0) }
            guard lists.tools.count <= Self.limit else { throw CallFailure.tooManyTools }
            try Self.write(lists, writer)
        }
    }

    /// Adds to the list of homes, and takes off it what has no items any more. Those that are there come first.
    /// - Returns: how many homes have items and found no room.
    func keep(homes: [String]) throws -> Int {
        defer { forgetCached() }
        return try database.write { writer in
            var lists = try Self.read(writer.reader)
            let candidates = lists.homes + homes.filter { !lists.homes.contains($0) }
            let inUse = try Self.inUse(candidates, writer.reader)
            lists.homes = Array(inUse.prefix(Self.limit))
            try Self.write(lists, writer)
            return inUse.count - lists.homes.count
        }
    }

    /// Takes every program off the list of tools again, and keeps the groups that have items.
    /// - Returns: how many tools there were.
    func removeTools() throws -> Int {
        defer { forgetCached() }
        return try database.write { writer in
            let old = try Self.read(writer.reader)
            try Self.write(Lists(homes: try Self.inUse(old.homes, writer.reader)), writer)
            return old.tools.count
        }
    }

    func forgetCached() {
        known.withLock { $0 = nil }
    }

    private static func inUse(_ homes: [String], _ reader: ItemReader) throws -> [String] {
        try homes.filter { try reader.itemCount(inAccessGroup: $0) > 0 }
    }

    private static func write(_ lists: Lists, _ writer: ItemWriter) throws {
        for (name, list) in [(toolsSetting, lists.tools), (homesSetting, lists.homes)] {
            try writer.set(DERWriter.encode(.array(list.map { .string($0) })), named: name)
        }
    }

    private static func read(_ reader: ItemReader) throws -> Lists {
        Lists(tools: try list(toolsSetting, reader), homes: try list(homesSetting, reader))
    }

    private static func list(_ name: String, _ reader: ItemReader) throws -> [String] {
        guard let bytes = try reader.setting(named: name) else { return [] }
        guard case .array(let values)? = try? DERReader.decode(bytes) else {
            throw ItemDatabaseFailure.damaged("the setting \(name) cannot be read")
        }
        // A name of another form cannot have been written by this device.
        return values.compactMap { value in
            guard case .string(let group) = value, OwnersGroup.isFormerHome(group) else { return nil }
            return group
        }
    }
}

extension CallFailure {
    fileprivate static let tooManyTools = CallFailure(
        .notAvailable, "too-many-owner-tools",
        "As many programs as the device remembers (\(OwnersRegistry.limit)) are the owner's tool already.",
        advice: "Take them back with latchkey adopt --revoke, and use one of them.")

    /// - Parameter left: places that were left out.
    static func tooManyHomes(_ left: Int) -> CallFailure {
        CallFailure(
            .notAvailable, "too-many-former-places",
            "This program is the owner's tool, and what could be moved was moved. But items that could not are left in "
                + "more former places than the device remembers (\(OwnersRegistry.limit)); the tool does not find those "
                + "in \(left) of them.",
            advice: "Unlock the device and run latchkey adopt again; latchkey adopt --list shows the places. Remove "
                + "programs that are not yours: latchkey app forget PROGRAM --items remove.")
    }
}
