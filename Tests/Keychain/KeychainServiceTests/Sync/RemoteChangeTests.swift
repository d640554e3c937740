import Foundation
import GRDB
import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// Changes by other devices, written to the rows of this one.
@Suite struct RemoteChangeTests {
    private let other: MemberKeychain
    private let member: MemberKeychain
    /// The name of the account "a".
    private let name: [UInt8]

    init() throws {
        (other, member) = (try MemberKeychain(1), try MemberKeychain(2))
        other.keychain.clock.advance(by: 1000)
        other.add("a", "theirs", ["labl": .string("label")])
        name = try other.reportedName()
    }

    private func number(_ column: String) throws -> Int64? {
        try member.keychain.raw { try Int64.fetchOne($0, sql: "SELECT \(column) FROM genp WHERE tomb = 0") }
    }

    private func wrappedKey() throws -> [UInt8]? {
        try member.keychain.raw {
            try Data.fetchOne($0, sql: "SELECT itemkey FROM genp WHERE tomb = 0").map { [UInt8]($0) }
        }
    }

    @Test("a new item is found by programs, with the dates of the other device, and is not reported")
    func new() throws {
        try member.receive(name, from: other)
        let (mine, theirs) = (try #require(member.find("a")), try #require(other.find("a")))
        #expect(mine.secret == "theirs")
        for name in ["labl", "cdat", "mdat", "agrp", "pdmn", "sync", "sha1"] {
            #expect(mine.attributes[name] != nil && mine.attributes[name] == theirs.attributes[name], "\(name)")
        }
        #expect(try member.changes.isEmpty)
        #expect(try member.items.read { try $0.syncItem(named: name) }?.known == MemberKeychain.version(2))
    }

    @Test("groups-preserved: a new item is found by programs of its group, and by no others") func groups() throws {
        try member.receive(name, from: other)
        func found(by groups: [String]) -> LatchkeyItemModel.ResultCode {
            member.keychain.perform(
                .find, ["acct": .string("a"), "sync": .string("syna"), "r_Data": .boolean(true)],
                caller: Caller(name: "app", accessGroups: groups)
            ).code
        }
        #expect(found(by: ["local", "group.app"]) == .success)
        #expect(found(by: ["group.other", "local"]) == .itemNotFound)
    }

    @Test("a changed item keeps row number and reference, and gets a new change number and a new item key")
    func changed() throws {
        member.add("a", "mine")
        try member.report()
        let reference = try #require(member.find("a")?.attributes["v_PersistentRef"])
        let before = (try number("rowid"), try number("change"), try wrappedKey())
        try member.receive(name, from: other)
        #expect(member.find("a")?.secret == "theirs")
        #expect(try number("rowid") == before.0)
        #expect(try number("change") ?? 0 > before.1 ?? .max)
        #expect(try wrappedKey() != before.2)
        #expect(member.find("a")?.attributes["v_PersistentRef"] == reference)
        #expect(try member.changes.isEmpty)
    }

    @Test("the digest of a received item is that of its writer")
    func digest() throws {
        try member.receive(name, from: other)
        let theirs = try other.items.item(named: name)?.content
        #expect(theirs != nil)
        #expect(try member.items.item(named: name)?.content == theirs)
    }

    @Test("a deletion removes the row of a locked class without decrypting it, and keeps a copy that opens later")
    func lockedDeletion() throws {
        try member.receive(name, from: other)
        try member.lock()
        #expect(try member.items.item(named: name) == nil)
        try member.receiveDeletion(of: name)
        #expect(try number("rowid") == nil)
        #expect(try member.changes.isEmpty)
        let conflict = try #require(try member.items.conflicts.list().first)
        #expect(conflict.attributes == nil)
        try member.unlock()
        #expect(try member.items.conflicts.list().map { $0.attributes?[.account] } == [.string("a")])
        #expect(member.find("a") == nil)
        try member.items.conflicts.restore(conflict.number)
        #expect(member.find("a")?.secret == "theirs")
        #expect(member.delete("a") == .success)
        #expect(member.add("a", "again") == .success)
        #expect(try member.reportedName() == name)
    }

    @Test(
        "an item takes the place of a tombstone, of a row that has no name yet, and of one that stays here",
        arguments: ["tombstone", "unnamed", "aku"])
    func occupied(_ kind: String) throws {
        switch kind {
        case "unnamed":
            member.items.lend(nil, since: 0)
            member.add("a", "mine")
            member.lend()
        case "aku": member.add("a", "mine", ["pdmn": .string("aku")])
        default:
            member.add("a", "mine")
            member.delete("a")
        }
        try member.report()
        try member.receive(name, from: other)
        #expect(member.find("a")?.secret == "theirs")
        #expect(try member.changes.isEmpty)
        let kept = try member.items.read { try $0.syncConflicts() }.count
        #expect(kept == (kind == "tombstone" ? 0 : 1))
        #expect(try member.items.nameRows() == 0)
    }

    /// Has the row of the account "a", whose item has a version that is later than its date, wait for its name.
    /// - Parameter origin: the column of `syncunnamed`: 0 for a row without a version, 2 for a restored one, 3 for one
    ///   that is only named again.
    private func letWait(modified seconds: TimeInterval, origin: Int) throws {
        member.keychain.clock.advance(by: seconds)
        member.add("a", "mine")
        try member.report()
        try member.keychain.raw {
            try $0.execute(
                sql: "INSERT INTO syncunnamed (class, number, origin) SELECT 'genp', rowid, ? FROM genp WHERE tomb = 0",
                arguments: [origin])
        }
    }

    private func known() throws -> UInt64? { try member.items.read { try $0.syncItem(named: name)?.known?.time } }

    private struct Waiting: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let origin: Int
        let isNewer: Bool
        let stays: Bool
        var isKept = true
        /// The row is dated after its version.
        var isDatedLater = false
    }

    private static let waiting = [
        Waiting(testDescription: "restored, newer", origin: 2, isNewer: true, stays: true),
        Waiting(testDescription: "restored, older", origin: 2, isNewer: false, stays: false),
        Waiting(testDescription: "without a version, newer", origin: 0, isNewer: true, stays: true),
        Waiting(testDescription: "without a version, older", origin: 0, isNewer: false, stays: false),
        Waiting(testDescription: "as its version", origin: 3, isNewer: true, stays: false, isKept: false),
        Waiting(
            testDescription: "as its version, dated later", origin: 3, isNewer: true, stays: false, isDatedLater: true),
    ]

    @Test(
        "an item meets the row of its name that waits to be named: the newer date stays if no version has the row, and the other is kept",
        arguments: waiting)
    private func waitingRow(_ row: Waiting) throws {
        try letWait(modified: row.isNewer ? 2000 : 0, origin: row.origin)
        let found = try #require(try other.items.item(named: name))
        let prepared = try member.items.prepared(RemoteItem(name: name, item: found.item, secret: found.secret))
        let known = row.isDatedLater ? 1 : try known()
        try member.items.commit([name], knowing: 0) { rows, writer in
            try writer.setSyncItem(MemberKeychain.version(2), named: name)
            try rows.put(prepared, over: known, writer)
        }
        #expect(member.find("a")?.secret == (row.stays ? "mine" : "theirs"))
        let conflicts = try member.items.conflicts.list()
        #expect(conflicts.count == (row.isKept ? 1 : 0))
        #expect(try member.items.nameRows() == (row.stays ? 1 : 0))
        #expect(try member.changes.map(\.kind) == (row.stays ? [.put] : []))
        guard row.isKept else { return }
        try member.items.conflicts.restore(try #require(conflicts.first).number)
        #expect(member.find("a")?.secret == (row.stays ? "theirs" : "mine"))
    }

    @Test(
        "a deletion meets the row of its name that waits to be named: a restored one stays unless it is older, one that is as its version goes, and what a version may lack is kept"
    )
    func waitingRowDeleted() throws {
        let rows: [(origin: Int, after: Int64?, known: UInt64?, stays: Bool, isKept: Bool)] = [
            (2, -1, nil, true, false), (2, 0, nil, true, false), (2, 1, nil, false, true), (2, nil, nil, true, false),
            (0, 1, nil, true, false), (3, -1, nil, false, false), (3, 1, nil, false, false), (3, -1, 1, false, true),
        ]
        for (origin, after, earlier, stays, isKept) in rows {
            let test = try RemoteChangeTests()
            try test.letWait(modified: 0, origin: origin)
            let modified = try #require(try test.number("mdat"))
            let (name, known) = (test.name, try earlier ?? test.known())
            try test.member.items.commit([name], knowing: 0) { rows, writer in
                try writer.setSyncItem(MemberKeychain.version(3), named: name)
                try rows.bury(
                    named: name, deletedAt: after.map { UInt64(modified + $0) }, over: known, writer)
            }
            #expect(test.member.find("a")?.secret == (stays ? "mine" : nil), "\(origin), \(String(describing: after))")
            let conflicts = try test.member.items.conflicts.list()
            #expect(conflicts.count == (isKept ? 1 : 0), "\(origin), \(String(describing: after))")
            guard let conflict = conflicts.first else { continue }
            try test.member.items.conflicts.restore(conflict.number)
            #expect(test.member.find("a")?.secret == "mine")
        }
    }

    @Test("a row that was kept as it is now is kept once") func keptOnce() throws {
        try letWait(modified: 0, origin: 2)
        try member.items.commit([name], knowing: 0) { [name] rows, writer in
            try rows.keepConflict(named: name, version: nil, reason: .deleted, writer)
            try rows.bury(named: name, deletedAt: .max, writer)
        }
        #expect(try member.items.conflicts.list().count == 1)
    }

    @Test("an item that a program has changed meanwhile is not overwritten")
    func changedMeanwhile() throws {
        member.add("a", "mine")
        let change = try #require(try member.changes.first)
        let found = try #require(try other.items.item(named: name))
        let prepared = try member.items.prepared(RemoteItem(name: name, item: found.item, secret: found.secret))
        for known in [0, change.number] {
            member.update("a", ["labl": .string("\(known)")])
            do throws(SharedItemsFailure) {
                try member.items.commit([name], knowing: known) { rows, writer in try rows.put(prepared, writer) }
                Issue.record("the change was overwritten")
            } catch {
                guard case .changedMeanwhile([name]) = error else {
                    Issue.record("\(error)")
                    return
                }
            }
            #expect(member.find("a")?.secret == "mine")
        }
        let newest = try #require(try member.changes.last).number
        try member.items.commit([name], knowing: newest) { rows, writer in try rows.put(prepared, writer) }
        #expect(member.find("a")?.secret == "theirs")
    }

    @Test("an item of another device that lost is kept without a row, and opens")
    func lost() throws {
        member.add("a", "mine")
        try member.report()
        let found = try #require(try other.items.item(named: name))
        let prepared = try member.items.prepared(RemoteItem(name: name, item: found.item, secret: found.secret))
        try member.items.commit([], knowing: 0) { rows, writer in
            try rows.keepConflict(prepared, version: MemberKeychain.version(1).version, reason: .overruled, writer)
        }
        #expect(member.find("a")?.secret == "mine")
        let conflict = try #require(try member.items.conflicts.list().first)
        #expect(conflict.modified.seconds == found.item.modificationDate)
        try member.items.conflicts.restore(conflict.number)
        #expect(member.find("a")?.secret == "theirs")
    }

    @Test("a transaction that fails leaves neither the row nor what belongs to it")
    func failed() throws {
        struct Refused: Error {}
        let found = try #require(try other.items.item(named: name))
        let prepared = try member.items.prepared(RemoteItem(name: name, item: found.item, secret: found.secret))
        #expect(throws: SharedItemsFailure.self) {
            try member.items.commit([name], knowing: 0) { rows, writer in
                try rows.put(prepared, writer)
                try writer.setSyncItem(MemberKeychain.version(2), named: name)
                throw Refused()
            }
        }
        #expect(member.find("a") == nil)
        #expect(try member.items.read { try $0.syncItem(named: name) } == nil)
    }

    private struct Bad: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout StoredItem, inout [UInt8]) -> Void
    }

    private static let bad = [
        Bad(testDescription: "another name") { $1[0] ^= 1 },
        Bad(testDescription: "not synchronizable") { item, _ in item.isSynchronizable = false },
        Bad(testDescription: "a class of one device") { item, _ in
            item.accessible = .whenUnlockedThisDeviceOnly
            item.accessControl = AccessControl(protection: .whenUnlockedThisDeviceOnly)
        },
        Bad(testDescription: "two classes") { item, _ in item.accessible = .always },
        Bad(testDescription: "a token") { item, _ in item.attributes[.tokenID] = .string("token") },
        Bad(testDescription: "another account") { item, _ in item.attributes[.account] = .string("b") },
    ]

    @Test("a record that cannot be an item of the circle is refused", arguments: bad)
    private func malformed(_ row: Bad) throws {
        let found = try #require(try other.items.item(named: name))
        var (item, name) = (found.item, name)
        row.change(&item, &name)
        do throws(SharedItemsFailure) {
            _ = try member.items.prepared(RemoteItem(name: name, item: item, secret: found.secret))
            Issue.record("the record was accepted")
        } catch {
            guard case .notShared(name) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test("an item of a locked class is refused until the unlock")
    func lockedItem() throws {
        let found = try #require(try other.items.item(named: name))
        try member.lock()
        do throws(SharedItemsFailure) {
            _ = try member.items.prepared(RemoteItem(name: name, item: found.item, secret: found.secret))
            Issue.record("there is a key for the item")
        } catch {
            guard case .failed(let failure) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(failure.code == .interactionNotAllowed)
        }
        try member.unlock()
        try member.receive(name, from: other)
        #expect(member.find("a")?.secret == "theirs")
    }
}
