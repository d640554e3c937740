import LatchkeyCodeSignature
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Synchronization

/// Which programs and which groups are the owner's beside what the daemon knows by itself: what `latchkey adopt` wrote
/// down. From memory, so that a call costs nothing for it.
final class OwnersRegistry: Sendable {
    /// What either list holds at most.
    static let limit = 64
    /// Private groups of the programs that are the owner's tool as well. Each was named with the passcode.
    private static let toolsSetting = "owners-tools"
    /// Groups that belong to the owner's tool because it had its items there.
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

    /// Adds to both lists; what is there stays.
    func add(tools: [String], homes: [String]) throws {
        defer { forgetCached() }
        try database.write { writer in
            let old = try Self.read(writer.reader)
            let new = Lists(
                tools: old.tools + tools.filter { !old.tools.contains($0) },
                homes: old.homes + homes.filter { !old.homes.contains($0) })
            guard new.tools.count <= Self.limit, new.homes.count <= Self.limit else { throw CallFailure.tooManyHomes }
            try Self.write(new, writer)
        }
    }

    /// Takes every program off the list of tools again, and keeps the groups.
    /// - Returns: how many there were.
    func removeTools() throws -> Int {
        defer { forgetCached() }
        return try database.write { writer in
            var lists = try Self.read(writer.reader)
            let count = lists.tools.count
            lists.tools = []
            try Self.write(lists, writer)
            return count
        }
    }

    func forgetCached() {
        known.withLock { $0 = nil }
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
    fileprivate static let tooManyHomes = CallFailure(
        .notAvailable, "too-many-owner-tools",
        "This device knows as many former places of the owner's tool as it can (\(OwnersRegistry.limit)).",
        advice: "Take the programs back with latchkey adopt --revoke, and use one of them.")
}
