import LatchkeyCodeSignature
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The aliases of teams, as the database keeps them. One that was given to a team is never another's until the device is
/// erased, also after it was taken away again: items under it would go to the other team.
struct TeamAliasRegistry: Sendable {
    private static let settingPrefix = "team-alias:"

    let store: ItemStore

    /// Returns all aliases, also those that were taken away, ordered by their texts.
    func all() throws(Setback) -> [PinnedAlias] {
        try store.read { reader in try Self.records(in: reader) }.sorted { $0.alias < $1.alias }
    }

    /// Gives the alias to a team that the device knows; again, if it was taken away. Returns the number of groups that
    /// had items under it before it was pinned: they came from elsewhere, and the team's programs get them.
    func pin(_ alias: TeamAlias, to team: TeamIdentifier, at now: WallTime) throws(Setback) -> Int {
        try store.write { writer in
            guard try writer.reader.team(team.text) != nil else { throw Setback.call(.unknownTeam(team)) }
            // The prefix of a team's own groups: its programs would share them without knowing.
            if let other = TeamIdentifier(alias.text), try writer.reader.team(other.text) != nil {
                throw Setback.call(.aliasTaken(alias.text, by: other))
            }
            let records = try Self.records(in: writer.reader)
            let known = records.first { $0.alias == alias }
            if let known, known.team != team { throw Setback.call(.aliasTaken(alias.text, by: known.team)) }
            guard known != nil || records.count < PinnedAlias.listLimit else {
                throw Setback.call(.notAvailable, .tooManyTeamAliases, PinnedAlias.listLimit)
            }
            if let known, known.removed == nil { return 0 }
            try writer.set(PinnedAlias(alias, team: team, pinned: now), of: alias)
            // After it was taken away the items are the team's own.
            return known == nil ? try writer.reader.storedGroupCount(under: alias) : 0
        }
    }

    /// Takes the alias away. It stays the team's: no other can have it.
    func remove(_ alias: TeamAlias, of team: TeamIdentifier, at now: WallTime) throws(Setback) {
        try store.write { writer in
            guard let known = try Self.records(in: writer.reader).first(where: { $0.alias == alias && $0.team == team })
            else { throw Setback.call(.itemNotFound, .teamAliasNotKnown, alias, team) }
            guard known.removed == nil else { return }
            try writer.set(PinnedAlias(alias, team: team, pinned: known.pinned, removed: now), of: alias)
        }
    }

    /// Throws if a team whose identifier this is would have the groups of another team's alias.
    static func checkIsNoAlias(_ team: TeamIdentifier, in reader: ItemReader) throws(Setback) {
        guard let known = try onDisk(records(in: reader)).first(where: { $0.alias.text == team.text }) else { return }
        throw .call(.aliasTaken(team.text, by: known.team))
    }

    private static func records(in reader: ItemReader) throws(ItemDatabaseFailure) -> [PinnedAlias] {
        var records: [PinnedAlias] = []
        for (name, value) in try reader.settings(withPrefix: settingPrefix) {
            guard let alias = TeamAlias(name), let record = PinnedAlias(alias, stored: value) else {
                throw .damaged("the alias of a team cannot be read")
            }
            records.append(record)
        }
        return records
    }

    fileprivate static func setting(of alias: TeamAlias) -> String { settingPrefix + alias.text }
}

extension ItemReader {
    /// A group that holds only tombstones does not count.
    fileprivate func storedGroupCount(under alias: TeamAlias) throws(ItemDatabaseFailure) -> Int {
        var count = 0
        for group in try accessGroups(beginningWith: alias.text + ".", where: { _ in true })
        where try itemCount(inAccessGroup: group) > 0 {
            count += 1
        }
        return count
    }
}

extension ItemWriter {
    fileprivate func set(_ record: PinnedAlias, of alias: TeamAlias) throws(ItemDatabaseFailure) {
        try set(record.stored, named: TeamAliasRegistry.setting(of: alias))
    }
}

extension PinnedAlias {
    /// The value in the database: the team, and both times in microseconds, most significant byte first. `Int64.min`
    /// stands for none.
    private static let storedByteCount = TeamIdentifier.characterCount + 16

    fileprivate var stored: [UInt8] {
        let times = [pinned.microsecondsSince2001, removed?.microsecondsSince2001 ?? .min]
        return Array(team.text.utf8)
            + times.flatMap { time in unsafe withUnsafeBytes(of: time.bigEndian) { unsafe Array($0) } }
    }

    fileprivate init?(_ alias: TeamAlias, stored bytes: [UInt8]) {
        let length = TeamIdentifier.characterCount
        guard bytes.count == Self.storedByteCount,
            let team = TeamIdentifier(String(decoding: bytes[..<length], as: UTF8.self))
        else { return nil }
        let time = { (bytes: ArraySlice<UInt8>) in
            Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        let removed = time(bytes[(length + 8)...])
        self.init(
            alias, team: team, pinned: WallTime(microsecondsSince2001: time(bytes[length..<length + 8])),
            removed: removed == .min ? nil : WallTime(microsecondsSince2001: removed))
    }
}

extension CallFailure {
    fileprivate static func aliasTaken(_ alias: String, by team: TeamIdentifier) -> CallFailure {
        CallFailure(.authFailed, .teamAliasTaken, alias, team)
    }
}
