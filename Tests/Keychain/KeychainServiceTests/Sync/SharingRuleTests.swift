import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import Testing

/// The items that leave the device, and those that stay.
@Suite struct SharingRuleTests {
    private struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let attributes: [String: PropertyValue]
        let zone: UInt8?

        init(_ name: String, _ attributes: [String: PropertyValue], zone: UInt8?) {
            testDescription = name
            self.attributes = attributes
            self.zone = zone
        }
    }

    private static let cases = [
        Case("the default class", [:], zone: 1),
        Case("ak", ["pdmn": .string("ak")], zone: 1),
        Case("ck", ["pdmn": .string("ck")], zone: 2),
        Case("dk", ["pdmn": .string("dk")], zone: 2),
        Case("aku", ["pdmn": .string("aku")], zone: nil),
        Case("cku", ["pdmn": .string("cku")], zone: nil),
        Case("dku", ["pdmn": .string("dku")], zone: nil),
        Case("akpu", ["pdmn": .string("akpu")], zone: nil),
        Case("not synchronizable", ["sync": .boolean(false)], zone: nil),
        Case("a group of one program", ["agrp": .string("local")], zone: nil),
        Case("another group", ["agrp": .string("group.other")], zone: 1),
    ]

    @Test("an item is shared if its protection and its group are those that leave the device", arguments: cases)
    private func eligible(_ row: Case) throws {
        let member = try MemberKeychain()
        #expect(member.add("a", "1", row.attributes) == .success)
        #expect(try member.changes.map { $0.content?.zone } == (row.zone.map { [$0] } ?? []))
        #expect(try member.items.nameRows() == 0)
    }

    @Test("an internet password is shared under another name than a generic one of the same account")
    func internetPassword() throws {
        let member = try MemberKeychain()
        member.add("a")
        let reply = member.keychain.perform(
            .add, ["class": .string("inet"), "acct": .string("a"), "srvr": .string("s"), "sync": .boolean(true)],
            secret: "secret", caller: MemberKeychain.caller)
        #expect(reply.code == .success)
        #expect(Set(try member.changes.map(\.name)).count == 2)
    }

    @Test(
        "groups of a team, application groups and allowed ones are shared",
        arguments: [
            ("group.app", true), ("ABCDEFGH27.app", true), ("A1B2C3D4E5.app", true), ("ABCDEFGH27", false),
            ("ABCDEFGH2.app", false),
            ("abcdefgh27.app", false), ("unsigned.app.1234", false), ("unsigned.allowed.1234", true), ("group", false),
            ("org.latchkey.owner", false), (".app", false),
        ])
    func groups(_ group: String, _ isShared: Bool) {
        #expect(SharingRules.shares(group: group, allowed: ["unsigned.allowed.1234"]) == isShared)
    }

    @Test("an item that is larger than a record stays on the device")
    func tooLarge() throws {
        let member = try MemberKeychain()
        #expect(member.add("a", String(repeating: "x", count: (1 << 20) - 900)) == .success)
        #expect(member.add("b", String(repeating: "x", count: 1 << 20)) == .success)
        #expect(try member.changes.count == 1)
    }

    @Test("an item of another device is taken although its group is not, or no longer, shared from here")
    func notAllowedHere() throws {
        let (other, member) = (try MemberKeychain(1), try MemberKeychain(2))
        other.lend(allowing: ["local"])
        other.add("a", "1", ["agrp": .string("local")])
        let name = try other.reportedName()
        let found = try #require(try other.items.item(named: name))
        let remote = RemoteItem(name: name, item: found.item, secret: found.secret)
        let content = try #require(member.items.content(of: remote), "its segment would pass for malformed")
        #expect(content.name == name)
        try member.receive(name, from: other)
        #expect(member.find("a")?.secret == "1")
        // Its own changes of it stay here.
        #expect(member.update("a", secret: "2") == .success)
        #expect(try member.changes.allSatisfy { $0.kind == .deletedHere })
    }

    @Test("an item of an allowed group is shared")
    func allowed() throws {
        let member = try MemberKeychain()
        member.lend(allowing: ["local"])
        member.add("a", "1", ["agrp": .string("local")])
        #expect(try member.changes.count == 1)
    }
}
