import Crypto
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

/// The changes by programs that other devices are to hear of.
@Suite struct SharedChangeTests {
    @Test("an add, an update and a deletion of an eligible item are reported under one name")
    func name() throws {
        let member = try MemberKeychain()
        #expect(member.add("a") == .success)
        let added = try #require(try member.changes.first)
        #expect(added.kind == .put && added.content?.zone == 1)
        #expect(member.update("a", secret: "other") == .success)
        let updated = try #require(try member.changes.first)
        #expect(updated.kind == .put && updated.name == added.name)
        #expect(updated.content?.digest != added.content?.digest)
        #expect(member.delete("a") == .success)
        #expect(try member.changes.map(\.kind) == [.deletedEverywhere])
        #expect(try member.changes.map(\.name) == [added.name])
    }

    @Test("a name follows from the primary key alone, on every device; a digest does not depend on dates")
    func sameOnEveryDevice() throws {
        let (one, two) = (try MemberKeychain(1), try MemberKeychain(2))
        two.keychain.clock.advance(by: 1000)
        for member in [one, two] { member.add("a") }
        #expect(try one.changes.map(\.name) == two.changes.map(\.name))
        #expect(try one.changes.map(\.content) == two.changes.map(\.content))
        for change: [String: PropertyValue] in [
            ["labl": .string("label")], ["cdat": .date(5)], ["labl": .string("label")], ["pdmn": .string("ck")],
        ] { #expect(two.update("a", change) == .success) }
        #expect(try one.changes.map(\.name) == two.changes.map(\.name))
        #expect(try one.changes.map(\.content) != two.changes.map(\.content))
        #expect(one.update("a", ["labl": .string("label"), "pdmn": .string("ck")]) == .success)
        #expect(try one.changes.map(\.content) == two.changes.map(\.content))
    }

    @Test("a name is the start of the code over class and primary key")
    func nameFormat() throws {
        let member = try MemberKeychain()
        member.add("a")
        let name = try member.reportedName()
        let item = try #require(try member.items.item(named: name)).item
        let message = Array("genp".utf8) + [0] + item.primaryKeyBytes
        let key = SymmetricKey(data: Array("name".utf8))
        #expect(name == Array(HMAC<SHA256>.authenticationCode(for: message, using: key).prefix(16)))
    }

    @Test("the digest of an item is keyed: the same item under other keys has another one")
    func keyed() throws {
        let member = try MemberKeychain()
        member.add("a")
        let digest = try member.changes.first?.content?.digest
        member.items.lend(
            .init(
                device: member.device, name: secret("name"), digestA: secret("other"), digestC: secret("digest c")),
            since: member.keychain.mailbox.keyEpoch)
        member.update("a", secret: "secret")
        #expect(try member.changes.count == 1)
        #expect(try member.changes.first?.content?.digest != digest)
    }

    @Test("a new account is a deletion of the old name and a new one")
    func rename() throws {
        let member = try MemberKeychain()
        member.add("a")
        let old = try member.reportedName()
        #expect(member.update("a", ["acct": .string("b")]) == .success)
        let changes = try member.changes.sorted { $0.kind.rawValue < $1.kind.rawValue }
        #expect(changes.map(\.kind) == [.put, .deletedEverywhere])
        #expect(changes.map(\.partner) == [old, changes[0].name])
        #expect(changes[1].name == old)
    }

    private struct End: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: SyncChangeRow.Kind
        let body: @Sendable (MemberKeychain) throws -> Void
    }

    private static let ends = [
        End(testDescription: "no longer synchronizable", kind: .deletedEverywhere) {
            #expect($0.update("a", ["sync": .boolean(false)]) == .success)
        },
        End(testDescription: "moved to a group of this device", kind: .deletedEverywhere) {
            #expect($0.update("a", ["agrp": .string("local")]) == .success)
        },
        End(testDescription: "kept on this device", kind: .deletedHere) {
            #expect($0.update("a", ["pdmn": .string("aku")]) == .success)
        },
        End(testDescription: "deleted without a tombstone", kind: .deletedHere) {
            #expect($0.delete("a", ["u_Tomb": .boolean(false)]) == .success)
        },
        End(testDescription: "of a removed app", kind: .deletedHere) {
            _ = try $0.keychain.service.deleteItems(inAccessGroups: ["group.app"])
        },
        End(testDescription: "deleted while its class is locked", kind: .deletedEverywhere) {
            try $0.lock()
            #expect($0.delete("a") == .success)
        },
        End(testDescription: "deleted while locked, without a tombstone", kind: .deletedHere) {
            try $0.lock()
            #expect($0.delete("a", ["u_Tomb": .boolean(false)]) == .success)
        },
    ]

    @Test("an item that ends here leaves its name, its version and what other devices are to do", arguments: ends)
    private func ended(_ end: End) throws {
        let member = try MemberKeychain()
        member.add("a")
        let name = try member.reportedName()
        try end.body(member)
        let item = try #require(try member.items.read { try $0.syncItem(named: name) })
        #expect(item.place == nil)
        #expect(item.known == MemberKeychain.version(1))
        #expect(try member.changes.map(\.name) == [name])
        #expect(try member.changes.map(\.kind) == [end.kind])
    }

    @Test("changes that were not reported are there after a restart")
    func restart() throws {
        let directory = try SharedDirectory()
        var names: [[UInt8]] = []
        do {
            let member = try MemberKeychain(directory: directory.path)
            member.add("a")
            names = try member.changes.map(\.name)
        }
        let member = try MemberKeychain(directory: directory.path, isNew: false)
        #expect(names.count == 1)
        #expect(try member.changes.map(\.name) == names)
    }

    @Test("a device without a circle reports nothing and writes no table of sync")
    func noCircle() throws {
        let keychain = try TestKeychain()
        keychain.add("a", "1", ["sync": .boolean(true), "agrp": .string("g")])
        _ = keychain.perform(.update, ["acct": .string("a"), "sync": .boolean(true)], secret: "2")
        _ = keychain.perform(.delete, ["acct": .string("a"), "sync": .boolean(true)])
        let (items, changes, unnamed) = try keychain.service.shared.read {
            (
                try $0.syncItems().count, try $0.syncChanges().count,
                try $0.unnamedRows(of: .genericPassword, after: 0, limit: 9).count
            )
        }
        #expect(items == 0 && changes == 0 && unnamed == 0)
    }

    @Test("an erase forgets the circle")
    func erase() throws {
        let member = try MemberKeychain()
        member.add("a")
        try member.ask(EraseDevice(passcode: secret(MemberKeychain.passcode)))
        #expect(try member.items.read { try $0.syncDevice() } == nil)
        #expect(try member.changes.isEmpty)
    }

    @Test("items that are asked for together cost one message to the enclave; those of a locked class are left out")
    func together() throws {
        let member = try MemberKeychain()
        for number in 0..<20 { member.add("c\(number)", "secret \(number)", ["pdmn": .string("ck")]) }
        member.add("a")
        let names = try member.changes.map(\.name)
        let single = try names.map { try member.items.item(named: $0)?.content }
        var found: [[UInt8]: SharedItem] = [:]
        let messages = try member.keychain.mailbox.messages {
            found = try member.items.items(named: names + [[UInt8](repeating: 9, count: 16)])
        }
        #expect(names.count == 21 && single.allSatisfy { $0 != nil })
        #expect(names.map { found[$0]?.content } == single && found.count == 21)
        #expect(messages == ["UnwrapKeys"])
        try member.lock()
        #expect(try member.items.items(named: names).count == 20)
    }

    @Test(
        "the parts of many changes have each of them once, and both names of a primary key change",
        arguments: [1, 2, 4, 11])
    func parts(_ limit: Int) throws {
        let member = try MemberKeychain()
        for number in 0..<6 { member.add("c\(number)") }
        #expect(member.update("c0", ["acct": .string("z")]) == .success)
        for number in 0..<6 { member.add("d\(number)") }
        // Its new name is reported behind the others now.
        #expect(member.update("z", secret: "other") == .success)
        var found: [SyncChangeRow] = []
        while case let part = try member.items.read({ [end = found.last?.number ?? 0] in
            try $0.syncChanges(after: end, about: limit)
        }),
            !part.isEmpty
        {
            let names = Set(part.map(\.name))
            #expect(part.allSatisfy { $0.partner.map(names.contains) ?? true })
            found += part
        }
        #expect(found == (try member.changes) && found.count == 13 && found.contains { $0.partner != nil })
    }
}
