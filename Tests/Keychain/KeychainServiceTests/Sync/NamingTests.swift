import GRDB
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Synchronization
import Testing

/// Rows that get their names after they were written.
@Suite struct NamingTests {
    private func unnamed(_ member: MemberKeychain) throws -> Int {
        try member.items.read { try $0.unnamedRows(of: .genericPassword, after: 0, limit: 999).count }
    }

    @Test("the items that a device has when it enters a circle are named and reported, but for those of its own")
    func entering() throws {
        let member = try MemberKeychain()
        try member.items.leaveCircle()
        for number in 0..<70 { member.add("shared \(number)") }
        member.add("local", "1", ["sync": .boolean(false)])
        member.add("of this device", "1", ["agrp": .string("local")])
        member.add("bound", "1", ["pdmn": .string("aku")])
        #expect(try member.changes.isEmpty)
        try member.items.enterCircle(as: member.device)
        #expect(try unnamed(member) == 72)
        #expect(try member.items.nameRows() == 0)
        member.lend()
        #expect(try member.items.nameRows() == 72)
        #expect(try member.changes.count == 70)
        #expect(try member.items.nameRows() == 0)
    }

    @Test("rows of a locked class wait for the unlock")
    func locked() throws {
        let member = try MemberKeychain()
        try member.items.leaveCircle()
        member.add("a")
        member.add("c", "1", ["pdmn": .string("ck")])
        try member.items.enterCircle(as: member.device)
        try member.lock()
        #expect(try member.items.nameRows() == 1)
        #expect(try member.changes.map { $0.content?.zone } == [2])
        try member.unlock()
        #expect(try member.items.nameRows() == 1)
        #expect(Set(try member.changes.map { $0.content?.zone }) == [1, 2])
    }

    @Test(
        "a row whose key is at hand and that does not open is set aside, unless it only needs a proof: then it is not shared",
        arguments: [
            (.damaged, true), (.invalidated, true), (.authenticationNeeded, false), (.wrongApplicationPassword, false),
        ] as [(KeyRefusal, Bool)])
    func notOpened(refusal: KeyRefusal, isSetAside: Bool) throws {
        let member = try MemberKeychain()
        try member.items.leaveCircle()
        member.add("a")
        try member.items.enterCircle(as: member.device)
        member.lend()
        member.keychain.mailbox.deny(refusal)
        #expect(try member.items.nameRows() == 1)
        member.keychain.mailbox.deny(nil)
        #expect(try member.changes.isEmpty)
        #expect((member.find("a") == nil) == isSetAside)
    }

    @Test("a restored row that is newer than a deletion by this device waits until that has come into the items")
    func awaitsDeletion() throws {
        let member = try MemberKeychain()
        member.add("a")
        let name = try member.reportedName()
        try member.items.write { try $0.setSyncValue([0, 0, 0, 0, 0, 0, 0, 1], named: SyncValueName.hasJoined) }
        member.delete("a")
        member.keychain.clock.advance(by: 1000)
        member.items.lend(nil, since: 0)
        member.add("a", "restored")
        try member.keychain.raw { try $0.execute(sql: "UPDATE syncunnamed SET origin = 2, count = NULL") }
        member.lend()
        var part = try member.items.nameRows(after: nil)
        #expect(part.awaitsDeletion && part.named == 0)
        try member.report()
        part = try member.items.nameRows(after: nil)
        #expect(!part.awaitsDeletion && part.named == 1)
        #expect(try member.changes.map(\.name) == [name])
    }

    @Test("many rows are named in parts, also behind those of a locked class")
    func parts() throws {
        let member = try MemberKeychain()
        try member.items.leaveCircle()
        for number in 0..<515 { member.add("a \(number)") }
        for number in 0..<3 { member.add("c \(number)", "1", ["pdmn": .string("ck")]) }
        try member.items.enterCircle(as: member.device)
        try member.lock()
        let first = try member.items.nameRows(after: nil)
        let end = try #require(first.end)
        #expect(first.named == 0)
        #expect(try member.items.nameRows(after: end).named == 3)
        try member.unlock()
        #expect(try member.items.nameRows() == 515)
    }

    @Test("rows with long secrets are named a few at a time: each of them is written again")
    func longSecrets() throws {
        let member = try MemberKeychain()
        try member.items.leaveCircle()
        let secret = String(repeating: "s", count: 600_000)
        for number in 0..<40 { member.add("a \(number)", number.isMultiple(of: 8) ? "1" : secret) }
        try member.items.enterCircle(as: member.device)
        member.lend()
        let first = try member.items.nameRows(after: nil)
        let end = try #require(first.end)
        #expect(first.named < 40)
        #expect(try member.items.nameRows(after: end).named == 40 - first.named)
        #expect(try member.changes.count == 40)
    }

    @Test("a write after a change of the enclave's keys waits until the keys of the circle are lent again")
    func outdatedLoan() throws {
        let member = try MemberKeychain()
        try member.ask(LockDevice(immediately: true))
        member.add("d", "1", ["pdmn": .string("dk")])
        #expect(try member.changes.isEmpty)
        member.lend(zoneA: false)
        #expect(try member.items.nameRows() == 1)
        #expect(try member.changes.count == 1)
    }

    @Test(
        "a named row whose change was not named is reported afterwards, also under a new primary key or as a deletion")
    func later() throws {
        let member = try MemberKeychain()
        var names: [String: [UInt8]] = [:]
        for account in ["a", "b", "c", "d"] {
            member.add(account)
            names[account] = try member.reportedName()
        }
        member.items.lend(nil, since: 0)
        member.update("a", secret: "other")
        member.update("b", ["acct": .string("new")])
        member.update("c", ["agrp": .string("local")])
        member.update("d", ["pdmn": .string("aku")])
        // The last one is left out whatever the circle has allowed; the two before have left their names.
        #expect(try member.changes.map(\.kind) == [.deletedEverywhere, .deletedEverywhere, .deletedHere])
        member.lend()
        #expect(try member.items.nameRows() == 3)
        let kinds = Dictionary(uniqueKeysWithValues: try member.changes.map { ($0.name, $0.kind) })
        #expect(kinds[try #require(names["a"])] == .put)
        #expect(kinds[try #require(names["b"])] == .deletedEverywhere)
        #expect(kinds[try #require(names["c"])] == .deletedEverywhere)
        #expect(kinds[try #require(names["d"])] == .deletedHere)
        #expect(kinds.count == 5)
    }

    @Test("a row whose name may be a former one is not overwritten by another device")
    func unnamedIsNotOverwritten() throws {
        let (member, other) = (try MemberKeychain(1), try MemberKeychain(2))
        for member in [member, other] { member.add("a") }
        let name = try member.reportedName()
        member.items.lend(nil, since: 0)
        member.update("a", ["acct": .string("new")])
        member.lend()
        #expect(throws: (any Error).self) { try member.receive(name, from: other) }
        #expect(try member.items.nameRows() == 1)
        try member.report()
        try member.receive(name, from: other)
        #expect(member.find("a") != nil && member.find("new") != nil)
    }

    @Test("what a device knew of its circle is gone when it leaves, and its items stay")
    func leaving() throws {
        let member = try MemberKeychain()
        member.add("a")
        try member.items.leaveCircle()
        member.update("a", secret: "other")
        #expect(try member.changes.isEmpty)
        #expect(try unnamed(member) == 0)
        #expect(member.find("a")?.secret == "other")
    }

    @Test("a call that writes a row without a name is told, so that the row is named where the keys are lent by then")
    func toldWithoutName() throws {
        let member = try MemberKeychain()
        let told = Atomic(0)
        member.items.whenChanged { told.add(1, ordering: .relaxed) }
        member.items.lend(nil, since: 0)
        member.add("a")
        #expect(told.load(ordering: .relaxed) == 1)
        try member.items.leaveCircle()
        member.add("b")
        #expect(told.load(ordering: .relaxed) == 1, "outside of a circle no row is named")
    }
}
