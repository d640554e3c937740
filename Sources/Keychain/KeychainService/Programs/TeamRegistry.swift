import LatchkeyCodeSignature
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeyThreading

/// The teams that this device trusts or has trusted. The key of each stays pinned.
///
/// The database decides about every change. Verdicts come from memory, so that they cost a connection nothing.
final class TeamRegistry: Sendable {
    static let nameByteLimit = 64
    /// The option with the letter of the weakest level that is served; C if it is not set.
    private static let levelOption = "required-assurance-level"

    private struct State {
        /// Nil until the first verdict, and after a change.
        var teams: [TeamIdentifier: TrustedTeam]?
        var requiredLevel: AssuranceLevel?
        /// Nil like `teams`.
        var aliases: [TeamAlias: TeamIdentifier]?
        /// The times at which trust expires.
        var expiries: [WallTime] = []
        var changeCount: UInt64 = 0
    }

    private let store: ItemStore
    private let clock: any DeviceClock
    /// The aliases of teams. Changes go through this object.
    let aliases: TeamAliasRegistry
    private let state = ForkMutex(State())

    init(store: ItemStore, clock: any DeviceClock) {
        self.store = store
        self.clock = clock
        aliases = TeamAliasRegistry(store: store)
    }

    /// Returns the verdict on a key. It is "unknown" also if the database cannot be read: then no team is trusted.
    func verdict(on key: TeamPublicKey) -> TeamVerdict {
        guard let team = known()[key.identifier] else { return .unknown }
        guard team.key == key else { return .otherKey }
        if team.revoked != nil { return .revoked }
        if let expires = team.expires, expires <= clock.wallTime() { return .expired(expires) }
        return .trusted
    }

    /// A number that changes whenever a verdict may have changed: by a change of trust, or because time passed.
    var epoch: UInt64 {
        _ = known()
        return state.withLock { state in
            let expired = state.expiries.isEmpty ? 0 : count(state.expiries, until: clock.wallTime())
            // Between two changes, an equal number of expired teams means the same teams.
            return state.changeCount << 20 | UInt64(expired)
        }
    }

    private func count(_ expiries: [WallTime], until now: WallTime) -> Int {
        expiries.reduce(0) { $1 <= now ? $0 + 1 : $0 }
    }

    func forgetCached() {
        state.withLock { state in
            state.teams = nil
            state.requiredLevel = nil
            state.aliases = nil
            state.expiries = []
            state.changeCount += 1
        }
    }

    /// Returns the team that has an alias now. It is nil also if the database cannot be read.
    func team(of alias: TeamAlias) -> TeamIdentifier? {
        let (cached, changes) = state.withLock { ($0.aliases, $0.changeCount) }
        if let cached { return cached[alias] }
        guard let records = try? aliases.all() else { return nil }
        let known = Dictionary(records.filter { $0.removed == nil }.map { ($0.alias, $0.team) }) { first, _ in first }
        state.withLock { if $0.changeCount == changes { $0.aliases = known } }
        return known[alias]
    }

    /// Returns the number of groups that had items under the alias before it was pinned.
    func pin(_ alias: TeamAlias, to team: TeamIdentifier) throws(Setback) -> Int {
        defer { forgetCached() }
        return try aliases.pin(alias, to: team, at: clock.wallTime())
    }

    func remove(_ alias: TeamAlias, of team: TeamIdentifier) throws(Setback) {
        defer { forgetCached() }
        try aliases.remove(alias, of: team, at: clock.wallTime())
    }

    /// The strongest level if the database cannot be read: then no program gets access by mistake.
    var requiredLevel: AssuranceLevel {
        let (cached, changes) = state.withLock { ($0.requiredLevel, $0.changeCount) }
        if let cached { return cached }
        let option: [UInt8]?
        do {
            option = try store.read { try $0.setting(named: Self.levelOption) }
        } catch {
            return .a
        }
        let level = option.map { AssuranceLevel(rawValue: String(decoding: $0, as: UTF8.self)) ?? .a } ?? .c
        state.withLock { if $0.changeCount == changes { $0.requiredLevel = level } }
        return level
    }

    func require(_ level: AssuranceLevel) throws(Setback) {
        defer { forgetCached() }
        try store.write { try $0.set(Array(level.rawValue.utf8), named: Self.levelOption) }
    }

    /// Returns all teams, as they are in the database now.
    func all() throws(Setback) -> [TrustedTeam] {
        let now = clock.wallTime()
        return try store.read { try $0.teams().map { try TrustedTeam($0, at: now) } }
    }

    /// Returns the user's name for the team that signed a caller; nil if the caller is not signed.
    func name(of caller: Caller) -> String? {
        guard let identifier = caller.team else { return nil }
        return known()[identifier].map { "\($0.name) (\(identifier.text))" } ?? identifier.text
    }

    private func known() -> [TeamIdentifier: TrustedTeam] {
        let (cached, changes) = state.withLock { ($0.teams, $0.changeCount) }
        if let cached { return cached }
        guard let all = try? all() else { return [:] }
        let teams = Dictionary(all.map { ($0.key.identifier, $0) }) { first, _ in first }
        state.withLock { state in
            // The teams may have changed since they were read.
            guard state.changeCount == changes else { return }
            state.teams = teams
            state.expiries = all.compactMap { $0.revoked == nil ? $0.expires : nil }
        }
        return teams
    }

    /// Trusts the key from now on. A revoked key is trusted again; another key with the same identifier is refused.
    func trust(_ key: TeamPublicKey, name: String, expires: WallTime?) throws(Setback) {
        guard Self.canBeShown(name) else { throw .call(.badTeamName) }
        let now = clock.wallTime()
        if let expires, !(expires > now) { throw .call(.trustOver) }
        defer { forgetCached() }
        try store.write { writer in
            let identifier = key.identifier.text
            let known = try writer.reader.team(identifier)
            if let known, known.key != key.bytes { throw Setback.call(.otherTeamKey(identifier, name: known.name)) }
            try TeamAliasRegistry.checkIsNoAlias(key.identifier, in: writer.reader)
            let isTrusted = known.map { $0.revoked == nil } ?? false
            guard try known != nil || writer.reader.teams().count < TrustedTeam.listLimit else {
                throw Setback.call(.tooManyTeams)
            }
            try writer.setTeam(
                TeamRow(
                    identifier: identifier, key: key.bytes, name: name,
                    trusted: isTrusted ? known?.trusted ?? 0 : now.microsecondsSince2001,
                    expires: expires?.microsecondsSince2001, revoked: nil))
        }
    }

    /// Returns true if the name can be shown on terminals: nothing in it moves the cursor or changes the direction of
    /// writing.
    private static func canBeShown(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= nameByteLimit && PlainText.isShown(name)
    }

    /// Revokes the trust. The key stays pinned.
    func revoke(_ team: TeamIdentifier) throws(Setback) {
        let now = clock.wallTime().microsecondsSince2001
        defer { forgetCached() }
        try store.write { writer in
            guard var row = try writer.reader.team(team.text) else { throw Setback.call(.unknownTeam(team)) }
            if row.revoked == nil { row.revoked = now }
            try writer.setTeam(row)
        }
    }
}

extension TrustedTeam {
    fileprivate init(_ row: TeamRow, at now: WallTime) throws(ItemDatabaseFailure) {
        guard let key = TeamPublicKey(row.key), key.identifier.text == row.identifier else {
            throw .damaged("the key of team \(row.identifier) is not its own")
        }
        let expires = row.expires.map { WallTime(microsecondsSince2001: $0) }
        self.init(
            key: key, name: row.name, trusted: WallTime(microsecondsSince2001: row.trusted), expires: expires,
            revoked: row.revoked.map { WallTime(microsecondsSince2001: $0) },
            isExpired: expires.map { $0 <= now } ?? false)
    }
}

extension CallFailure {
    fileprivate static func otherTeamKey(_ identifier: String, name: String) -> CallFailure {
        CallFailure(.authFailed, as: .teamPinnedToOtherKey, identifier, name)
    }

    static func unknownTeam(_ team: TeamIdentifier) -> CallFailure {
        CallFailure(.itemNotFound, .teamNotKnown, team)
    }

    fileprivate static let badTeamName = CallFailure(.param, .teamNameUnusable, TeamRegistry.nameByteLimit)

    fileprivate static let trustOver = CallFailure(.param, .teamTrustOver)

    fileprivate static let tooManyTeams = CallFailure(.notAvailable, .tooManyTeams)
}
