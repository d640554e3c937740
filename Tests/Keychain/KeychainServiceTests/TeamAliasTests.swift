import Foundation
import GRDB
import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

@Suite("Aliases of teams")
struct TeamAliasTests {
    private let alias = TeamKeys.alias

    /// A device that trusts two teams.
    private func keychain(_ directory: SharedDirectory? = nil) throws -> TestKeychain {
        let keychain = try directory.map { try TestKeychain($0.path) } ?? TestKeychain()
        _ = keychain.trust(TeamKeys.one)
        _ = keychain.trust(TeamKeys.third)
        return keychain
    }

    @Test("an alias is its team's from now on, and no other team's")
    func pinned() throws {
        let keychain = try keychain()
        #expect(keychain.service.team(of: alias) == nil)
        #expect(keychain.pin(alias, TeamKeys.one) == "done")
        #expect(keychain.service.team(of: alias) == TeamKeys.one.identifier)
        #expect(keychain.pin(alias, TeamKeys.third) == "team-alias-taken")
        #expect(keychain.service.team(of: alias) == TeamKeys.one.identifier)
        #expect(keychain.service.team(of: TeamKeys.alias("A1B2C3D4E6")) == nil)
        // Twice is once.
        let before = keychain.aliases
        keychain.clock.advance(by: 5)
        #expect(keychain.pin(alias, TeamKeys.one) == "done")
        #expect(keychain.aliases == before && before.count == 1)
        #expect(keychain.pin(TeamKeys.alias("0123456789"), TeamKeys.one) == "done")
        #expect(keychain.aliases.map(\.alias.text) == ["0123456789", "A1B2C3D4E5"])
    }

    @Test("the owner hears of groups that had items under an alias before it was pinned, and once")
    func storedGroups() throws {
        let keychain = try keychain()
        for (group, account) in [
            ("A1B2C3D4E5.a", "1"), ("A1B2C3D4E5.a", "2"), ("A1B2C3D4E5.b", "3"), ("A1B2C3D4E6.c", "4"),
        ] {
            let caller = Caller(name: "app", accessGroups: [group])
            #expect(keychain.perform(.add, ["acct": .string(account)], secret: "s", caller: caller).code == .success)
        }
        try keychain.raw { try $0.execute(sql: "UPDATE genp SET tomb = 1, sync = 1 WHERE agrp = 'A1B2C3D4E5.b'") }
        #expect(keychain.pin(TeamKeys.alias("A1B2C3D4E6"), TeamKeys.one) == "done, groups: 1")
        #expect(keychain.pin(alias, TeamKeys.one) == "done, groups: 1", "tombstones do not count")
        #expect(keychain.pin(alias, TeamKeys.one) == "done")
        #expect(keychain.unpin(alias, TeamKeys.one) == "done")
        #expect(keychain.pin(alias, TeamKeys.one) == "done", "they are the team's own")
    }

    @Test("an alias that was taken away stays the team's: no other team gets the items under it")
    func removed() throws {
        let keychain = try keychain()
        let start = keychain.clock.wallTime()
        _ = keychain.pin(alias, TeamKeys.one)
        keychain.clock.advance(by: 3)
        #expect(keychain.unpin(alias, TeamKeys.third) == "team-alias-not-known")
        #expect(keychain.unpin(alias, TeamKeys.one) == "done")
        #expect(keychain.service.team(of: alias) == nil)
        #expect(
            keychain.aliases == [
                PinnedAlias(alias, team: TeamKeys.one.identifier, pinned: start, removed: start.later(by: 3))
            ])
        #expect(keychain.pin(alias, TeamKeys.third) == "team-alias-taken")
        #expect(keychain.unpin(alias, TeamKeys.one) == "done")
        #expect(keychain.pin(alias, TeamKeys.one) == "done")
        #expect(keychain.service.team(of: alias) == TeamKeys.one.identifier)
        #expect(keychain.unpin(TeamKeys.alias("0123456789"), TeamKeys.one) == "team-alias-not-known")
    }

    @Test("the identifier of a known team cannot be an alias, and a new team cannot have an alias as its identifier")
    func identifiers() throws {
        let keychain = try TestKeychain()
        _ = keychain.trust(TeamKeys.one)
        let own = TeamKeys.alias(TeamKeys.one.identifier.text)
        #expect(keychain.pin(own, TeamKeys.one) == "team-alias-taken")
        let third = TeamKeys.alias(TeamKeys.third.identifier.text)
        #expect(keychain.pin(third, TeamKeys.one) == "done")
        #expect(keychain.trust(TeamKeys.third) == "team-alias-taken")
        #expect(keychain.service.verdict(on: TeamKeys.third) == .unknown)
        _ = keychain.unpin(third, TeamKeys.one)
        #expect(keychain.trust(TeamKeys.third) == "team-alias-taken")
        // A revoked team keeps its own prefix.
        let other = try self.keychain()
        _ = other.revoke(TeamKeys.third)
        #expect(other.pin(third, TeamKeys.one) == "team-alias-taken")
    }

    @Test("a team that the device does not know has no alias")
    func unknownTeam() throws {
        let keychain = try TestKeychain()
        #expect(keychain.pin(alias, TeamKeys.one) == "team-not-known")
        #expect(keychain.aliases == [])
    }

    @Test("aliases outlive a restart and end with the device")
    func persistence() throws {
        let directory = try SharedDirectory()
        let first = try keychain(directory)
        _ = first.pin(alias, TeamKeys.one)
        _ = first.pin(TeamKeys.alias("0123456789"), TeamKeys.third)
        _ = first.unpin(TeamKeys.alias("0123456789"), TeamKeys.third)
        let before = first.aliases
        first.service.close()
        let second = try TestKeychain(directory.path)
        #expect(second.aliases == before)
        #expect(second.service.team(of: alias) == TeamKeys.one.identifier)
        #expect(second.pin(TeamKeys.alias("0123456789"), TeamKeys.one) == "team-alias-taken")
        #expect(second.outcome(EraseDevice(passcode: nil)) == "done")
        #expect(second.service.team(of: alias) == nil)
        _ = second.trust(TeamKeys.third)
        #expect(second.pin(alias, TeamKeys.third) == "done")
    }

    @Test("a change counts as one of trust, needs the passcode, and is on record")
    func changes() throws {
        let keychain = try keychain()
        var epoch = keychain.service.teamTrustEpoch
        _ = keychain.pin(alias, TeamKeys.one)
        #expect(keychain.service.teamTrustEpoch != epoch)
        epoch = keychain.service.teamTrustEpoch
        _ = keychain.unpin(alias, TeamKeys.one)
        #expect(keychain.service.teamTrustEpoch != epoch)
        _ = keychain.pin(alias, TeamKeys.third)
        let records = keychain.refusals().prefix(3)
        #expect(records.map(\.refusal.rule) == [.teamAliasTaken, .ownerChange, .ownerChange])
        #expect(records.map(\.operation) == ["pin-team-alias", "remove-team-alias", "pin-team-alias"])
        #expect(records.last?.accessGroup == "EIF5MUDOJM A1B2C3D4E5")
        #expect(keychain.outcome(SetPasscode(passcodeBox("1234"))) == "done")
        #expect(keychain.pin(alias, TeamKeys.one) == "passcodeNeeded")
        #expect(keychain.service.team(of: alias) == nil)
        #expect(keychain.pin(alias, TeamKeys.one, passcode: "1234") == "done")
        #expect(keychain.unpin(alias, TeamKeys.one) == "passcodeNeeded")
        #expect(keychain.service.team(of: alias) == TeamKeys.one.identifier)
    }

    @Test("a device keeps as many aliases as it can list")
    func limit() throws {
        let keychain = try keychain()
        try keychain.raw { database in
            for number in 0..<PinnedAlias.listLimit {
                let value = Array("EIF5MUDOJM".utf8) + [UInt8](repeating: 0, count: 8) + [0x80, 0, 0, 0, 0, 0, 0, 0]
                try database.execute(
                    sql: "INSERT INTO settings VALUES (?, ?)",
                    arguments: ["team-alias:" + String(1_000_000_000 + number), Data(value)])
            }
        }
        #expect(keychain.aliases.count == PinnedAlias.listLimit)
        #expect(keychain.pin(alias, TeamKeys.one) == "too-many-team-aliases")
        #expect(keychain.pin(TeamKeys.alias("1000000000"), TeamKeys.one) == "done")
    }

    @Test("what was changed in the file gives no team an alias", arguments: ["", "00", "454946"])
    func damaged(digits: String) throws {
        let keychain = try keychain()
        try keychain.raw {
            try $0.execute(sql: "INSERT INTO settings VALUES ('team-alias:A1B2C3D4E5', x'\(digits)')")
        }
        #expect(keychain.service.team(of: alias) == nil)
        #expect(keychain.pin(alias, TeamKeys.third) == "database-damaged")
    }

    @Test(
        "an alias has ten capital letters and digits",
        arguments: [
            "", "A1B2C3D4E", "A1B2C3D4E5F", "a1b2c3d4e5", "A1B2C3D4E.", "A1B2C3D4 5", "A1B2C3D4E\u{301}", "ÄBCDEFGHI",
            "group.abcd", "A1B2C3D4E*", "A1B2C3D4E\0", "A1B2C3D4\u{202E}",
        ])
    func texts(_ text: String) {
        #expect(TeamAlias(text) == nil)
    }
}
