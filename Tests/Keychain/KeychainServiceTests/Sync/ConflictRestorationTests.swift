import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

/// `conflicts-restorable`: restoring a version is an ordinary new change.
@Suite struct ConflictRestorationTests {
    private let stage: ConflictStage
    private var member: MemberKeychain { stage.member }

    init() throws {
        stage = try ConflictStage()
    }

    private func restore() throws {
        try member.items.conflicts.restore(try stage.number())
    }

    private func modified(_ account: String) throws -> Double {
        guard case .date(let date)? = member.find(account)?.attributes["mdat"] else { throw Missing() }
        return date
    }

    private struct Missing: Error {}

    @Test("a version takes the place of the item, which keeps its reference, and is reported as a change of now")
    func replacing() throws {
        member.add("a", "mine")
        try member.report()
        let before = try #require(member.find("a")).attributes
        try stage.keepTheirs()
        member.keychain.clock.advance(by: 2000)
        try restore()
        let after = try #require(member.find("a"))
        #expect(after.secret == "theirs")
        #expect(after.attributes["labl"] == .string("label") && after.attributes["icmt"] == .string("a comment"))
        #expect(after.attributes["v_PersistentRef"] == before["v_PersistentRef"])
        #expect(after.attributes["cdat"] == stage.other.find("a")?.attributes["cdat"])
        #expect(try modified("a") == member.keychain.clock.wallTime().seconds)
        let change = try #require(try member.changes.first)
        #expect(change.name == stage.name && change.kind == .put)
        #expect(change.content == (try member.items.item(named: stage.name)?.content))
        #expect(change.content == (try stage.other.items.item(named: stage.name)?.content))
    }

    @Test("the version that it replaces is kept in its place, with its version, and comes back the same way")
    func exchange() throws {
        member.add("a", "mine")
        try member.report()
        try stage.keepTheirs()
        let first = try stage.number()
        try restore()
        let kept = try member.items.conflicts.list()
        #expect(kept.map(\.reason) == [.replaced])
        #expect(kept.map(\.device) == [Array(MemberKeychain.version(1).version.suffix(16))])
        #expect(kept.allSatisfy { $0.number > first })
        try restore()
        #expect(member.find("a")?.secret == "mine")
        #expect(try member.items.conflicts.list().map(\.reason) == [.replaced])
    }

    @Test("a row that a program has changed, without a report yet, is kept without a version")
    func unreported() throws {
        member.add("a", "first")
        try member.report()
        member.update("a", secret: "second")
        try stage.keepTheirs()
        try restore()
        #expect(try member.items.conflicts.list().map(\.device) == [nil])
        try restore()
        #expect(member.find("a")?.secret == "second")
    }

    @Test("a deleted item comes back as a new one, and is reported", arguments: ["elsewhere", "here", "here, later"])
    func deleted(_ kind: String) throws {
        member.add("a", "mine")
        try member.report()
        if kind == "elsewhere" {
            try member.receiveDeletion(of: stage.name)
        } else {
            try stage.keepTheirs()
            if kind == "here, later" { member.keychain.clock.advance(by: 5000) }
            member.delete("a")
            try member.report()
            if kind == "here, later" {
                member.keychain.clock.setWallTime(member.keychain.clock.wallTime().seconds - 4000)
            }
        }
        #expect(member.find("a") == nil)
        let deletion = member.keychain.clock.wallTime().seconds + (kind == "here, later" ? 4000 : 0)
        try restore()
        #expect(member.find("a")?.secret == (kind == "elsewhere" ? "mine" : "theirs"))
        #expect(try modified("a") >= deletion)
        #expect(try member.items.conflicts.list().isEmpty)
        #expect(try member.changes.map(\.kind) == [.put])
        #expect(try member.changes.map(\.name) == [stage.name])
    }

    @Test("the date is later than those of both versions, also after the clock was set back")
    func clockSetBack() throws {
        member.add("a", "mine")
        try member.report()
        try stage.keepTheirs()
        let latest = max(try modified("a"), try #require(try member.items.conflicts.list().first).modified.seconds)
        member.keychain.clock.setWallTime(-100_000_000)
        try restore()
        #expect(try modified("a") > latest)
    }

    @Test("a version is restored once, and one that is not kept not at all")
    func unknown() throws {
        try stage.keepTheirs()
        let number = try stage.number()
        #expect(stage.failure(of: number + 1) == .unknown)
        #expect(stage.failure(of: number) == nil)
        #expect(stage.failure(of: number) == .unknown)
        #expect(member.find("a")?.secret == "theirs")
    }

    @Test("a version without data is restored without data")
    func noData() throws {
        let attributes = MemberKeychain.shared.merging(["acct": .string("empty")]) { $1 }
        #expect(member.keychain.perform(.add, attributes, caller: MemberKeychain.caller).code == .success)
        try member.receiveDeletion(of: try member.reportedName())
        try restore()
        let found = member.keychain.perform(
            .find, ["acct": .string("empty"), "sync": .string("syna"), "r_Attributes": .boolean(true)])
        #expect(found.code == .itemNotFound)
        let own = member.keychain.perform(
            .find, ["acct": .string("empty"), "sync": .string("syna"), "r_Attributes": .boolean(true)],
            caller: MemberKeychain.caller)
        #expect(own.code == .success)
        #expect(try member.changes.map(\.kind) == [.put])
    }

    @Test("a version that never left this device takes the item's place here alone")
    func ofThisDevice() throws {
        member.add("a", "mine", ["pdmn": .string("aku")])
        try member.receive(stage.name, from: stage.other)
        try restore()
        #expect(member.find("a")?.secret == "mine")
        #expect(member.find("a")?.attributes["pdmn"] == .string("aku"))
        #expect(try member.changes.map(\.kind) == [.deletedHere])
        try member.report()
        try restore()
        #expect(member.find("a")?.secret == "theirs")
    }

    @Test("without the keys of the circle a version is restored, and named later")
    func noKeys() throws {
        member.add("a", "mine")
        try member.report()
        try stage.keepTheirs()
        member.items.lend(nil, since: 0)
        try restore()
        #expect(try member.changes.isEmpty)
        #expect(member.find("a")?.secret == "theirs")
        member.lend()
        #expect(try member.items.nameRows() == 1)
        #expect(try member.changes.map(\.name) == [stage.name])
    }

    @Test("a device that left its circle can still restore")
    func left() throws {
        member.add("a", "mine")
        try stage.keepTheirs()
        try member.items.leaveCircle()
        try restore()
        #expect(member.find("a")?.secret == "theirs")
        try restore()
        #expect(member.find("a")?.secret == "mine")
    }

    @Test("of 1,000 versions none other ends by a restoration")
    func full() throws {
        member.add("a", "mine")
        try member.report()
        let found = try #require(try stage.other.items.item(named: stage.name))
        let prepared = try member.items.prepared(RemoteItem(name: stage.name, item: found.item, secret: found.secret))
        try member.items.commit([], knowing: 0) { rows, writer in
            for _ in 0..<1000 { try rows.keepConflict(prepared, version: nil, reason: .overruled, writer) }
        }
        let before = try member.items.conflicts.list().map(\.number)
        try member.items.conflicts.restore(before[500])
        let after = try member.items.conflicts.list().map(\.number)
        #expect(after.count == 1000)
        #expect(Array(after.dropLast()) == before.filter { $0 != before[500] })
    }

    @Test("another program sees a restored item only in its group")
    func group() throws {
        try stage.keepTheirs()
        try restore()
        let query: [String: PropertyValue] = ["acct": .string("a"), "sync": .string("syna")]
        #expect(member.keychain.perform(.find, query).code == .itemNotFound)
        #expect(member.find("a")?.attributes["agrp"] == .string("group.app"))
    }
}
