import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

/// The versions that lost: looking at them.
@Suite struct ConflictShelfTests {
    private let stage: ConflictStage

    init() throws {
        stage = try ConflictStage()
    }

    @Test("a version is listed with what a person knows it by, its dates and its writer, and nothing else")
    func listing() throws {
        let (member, other) = (stage.member, stage.other)
        let theirs = try #require(try other.items.item(named: stage.name)).item
        try stage.keepTheirs()
        let conflict = try #require(try member.items.conflicts.list().first)
        #expect(conflict.reason == .overruled)
        #expect(conflict.itemClass == .genericPassword && conflict.accessGroup == "group.app")
        #expect(
            conflict.attributes == [
                .account: .string("a"), .service: .string("s"), .label: .string("label"),
            ])
        #expect(conflict.created.seconds == theirs.creationDate && conflict.modified.seconds == theirs.modificationDate)
        #expect(conflict.kept == member.keychain.clock.wallTime())
        #expect(conflict.device == Array(MemberKeychain.version(1).version.suffix(16)))
    }

    @Test("an internet password is listed with its server")
    func server() throws {
        let (member, other) = (stage.member, stage.other)
        let item: [String: PropertyValue] = [
            "class": .string("inet"), "acct": .string("i"), "srvr": .string("example.org"), "port": .integer(8443),
            "sync": .boolean(true), "icmt": .string("a comment"),
        ]
        #expect(other.keychain.perform(.add, item, secret: "x", caller: MemberKeychain.caller).code == .success)
        try stage.keep(try other.reportedName())
        let conflict = try #require(try member.items.conflicts.list().first)
        #expect(conflict.itemClass == .internetPassword)
        let attributes = try #require(conflict.attributes)
        #expect(attributes[.account] == .string("i") && attributes[.server] == .string("example.org"))
        #expect(attributes[.port] == .integer(8443))
        let allowed: Set<AttributeName> = [
            .label, .account, .server, .protocol, .port, .path, .securityDomain,
        ]
        #expect(allowed.isSuperset(of: attributes.keys))
    }

    @Test("a version of an item that was not shared has no writer")
    func unversioned() throws {
        let member = stage.member
        member.add("a", "mine", ["pdmn": .string("aku")])
        try member.receive(stage.name, from: stage.other)
        let conflict = try #require(try member.items.conflicts.list().first)
        #expect(conflict.device == nil && conflict.reason == .overruled)
        #expect(conflict.attributes?[.account] == .string("a"))
    }

    @Test("numbers are the same at every call and after a restart, and end with their version")
    func numbers() throws {
        let directory = try SharedDirectory()
        var numbers: [Int64] = []
        do {
            let member = try MemberKeychain(2, directory: directory.path)
            for account in ["a", "b"] {
                member.add(account)
                try member.receiveDeletion(of: try member.reportedName())
            }
            numbers = try member.items.conflicts.list().map(\.number)
            #expect(Set(numbers).count == 2)
            #expect(try member.items.conflicts.list().map(\.number) == numbers)
        }
        let member = try MemberKeychain(2, directory: directory.path, isNew: false)
        try member.unlock()
        #expect(try member.items.conflicts.list().map(\.number) == numbers)
        try member.items.conflicts.restore(numbers[1])
        member.delete("b")
        try member.receiveDeletion(of: try member.reportedName())
        member.add("c")
        try member.receiveDeletion(of: try member.reportedName())
        let later = try member.items.conflicts.list().map(\.number)
        #expect(later.first == numbers[0])
        #expect(later.dropFirst().allSatisfy { $0 > numbers[1] } && later.count == 2)
    }

    @Test("while its class is locked a version is listed by what is known, and not restored")
    func locked() throws {
        let member = stage.member
        member.add("a", "mine")
        try member.report()
        try stage.keepTheirs()
        try member.lock()
        let before = try #require(try member.items.conflicts.list().first)
        #expect(before.attributes == nil && before.accessGroup == "group.app" && before.device != nil)
        #expect(stage.failure(of: before.number) == .locked)
        try member.unlock()
        #expect(try member.items.conflicts.list().map(\.number) == [before.number])
        #expect(member.find("a")?.secret == "mine")
        try member.items.conflicts.restore(before.number)
        #expect(member.find("a")?.secret == "theirs")
    }

    @Test("a version of a class that stays available is restored while the device is locked")
    func available() throws {
        let member = stage.member
        member.add("mail", "kept", ["pdmn": .string("ck")])
        try member.receiveDeletion(of: try member.reportedName())
        try member.lock()
        let conflict = try #require(try member.items.conflicts.list().first)
        #expect(conflict.attributes?[.account] == .string("mail"))
        try member.items.conflicts.restore(conflict.number)
        #expect(member.find("mail")?.secret == "kept")
        #expect(try member.changes.map { $0.content?.zone } == [2])
    }

    @Test("bounded conflicts: 1,001 items of another device that lost leave 1,000, without the oldest")
    func bounded() throws {
        let (member, name) = (stage.member, stage.name)
        let found = try #require(try stage.other.items.item(named: name))
        let prepared = try member.items.prepared(RemoteItem(name: name, item: found.item, secret: found.secret))
        try stage.keepTheirs()
        let oldest = try #require(try member.items.conflicts.list().first).number
        try member.items.commit([], knowing: 0) { rows, writer in
            for _ in 0..<1000 { try rows.keepConflict(prepared, version: nil, reason: .overruled, writer) }
        }
        let kept = try member.items.conflicts.list().map(\.number)
        #expect(kept.count == 1000)
        #expect(!kept.contains(oldest))
    }

    @Test("a version that lost ends 90 days later, when the next one loses")
    func old() throws {
        let member = stage.member
        try stage.keepTheirs()
        member.keychain.clock.advance(by: 90 * 86_400 + 1)
        #expect(try member.items.conflicts.list().count == 1)
        try stage.keepTheirs()
        #expect(try member.items.conflicts.list().map(\.kept) == [member.keychain.clock.wallTime()])
    }
}
