import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@testable import LatchkeyKeychainService

@Suite("A former path of the owner's tool gives the owner what it held at the adoption, and nothing later")
struct FormerHomesTests {
    private static let passcode = "246810"
    private static let former = latchkey("unsigned.latchkey.")
    private static let elsewhere = latchkey("unsigned.elsewhere.latchkey.")
    private static let tool = Caller(
        name: "/2/latchkey", accessGroups: ["unsigned.latchkey.22222222222222222222"], isOwnersTool: true)

    private static func latchkey(_ prefix: String) -> Caller {
        Caller(name: "/1/latchkey", accessGroups: [prefix + String(repeating: "1", count: 20)])
    }

    private static func keychain() throws -> TestKeychain {
        let keychain = try TestKeychain(kind: "daemon", ownersToolPath: "/2/latchkey")
        try keychain.service.ask(SetPasscode(secret()), caller: TestKeychain.caller)
        return keychain
    }

    private static func secret() -> SecretBox { SecretBox(copying: Array(passcode.utf8)) }

    private static func add(_ keychain: TestKeychain, _ account: String, as caller: Caller, _ accessible: String = "ck")
    {
        keychain.clock.advance(by: 1)
        let attributes: [String: PropertyValue] = ["acct": .string(account), "pdmn": .string(accessible)]
        #expect(keychain.perform(.add, attributes, secret: account, caller: caller).code == .success)
    }

    private static func adopt(_ keychain: TestKeychain) -> Adoption? {
        keychain.clock.advance(by: 1)
        defer { keychain.clock.advance(by: 6) }
        return try? keychain.service.ask(AdoptTool(passcode: secret()), caller: tool)
    }

    private static func lock(_ keychain: TestKeychain) {
        _ = try? keychain.service.ask(LockDevice(immediately: true), caller: TestKeychain.caller)
    }

    private static func unlock(_ keychain: TestKeychain) {
        #expect(throws: Never.self) { try keychain.service.ask(UnlockDevice(secret()), caller: TestKeychain.caller) }
    }

    /// Where the tool finds items of an account.
    private static func groups(_ keychain: TestKeychain, _ account: String, as caller: Caller = tool) -> [String] {
        let query: [String: PropertyValue] = [
            "acct": .string(account), "r_Attributes": .boolean(true), "m_Limit": .string("m_LimitAll"),
        ]
        guard case .array(let items)? = keychain.perform(.find, query, caller: caller).result else { return [] }
        return items.compactMap { item in
            guard case .dictionary(let attributes) = item, case .string(let group)? = attributes["agrp"] else {
                return nil
            }
            return group
        }
    }

    /// A device on which an item is left in the former home, because the owner's group has one of the same name.
    private static func keychainWithDuplicate() throws -> TestKeychain {
        let keychain = try keychain()
        for caller in [former, tool] { add(keychain, "old", as: caller) }
        #expect(adopt(keychain)?.duplicate == 1)
        #expect(Set(groups(keychain, "old")) == Set([OwnersGroup.name] + former.accessGroups))
        return keychain
    }

    @Test("an item that was locked at the adoption moves when the device is unlocked")
    func lockedAtAdoption() throws {
        let keychain = try Self.keychain()
        Self.add(keychain, "old", as: Self.former, "ak")
        Self.lock(keychain)
        // The passcode is right, but a proof of it opens nothing.
        let adoption = try #require(Self.adopt(keychain))
        #expect(adoption.locked == 1)
        #expect(keychain.perform(.find, ["acct": .string("old")], caller: Self.tool).code == .interactionNotAllowed)
        Self.unlock(keychain)
        #expect(Self.groups(keychain, "old") == [OwnersGroup.name])
    }

    struct Intrusion: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let act: @Sendable (TestKeychain) -> Void
    }

    static let intrusions = [
        Intrusion(testDescription: "adds an item") { add($0, "bank", as: former) },
        Intrusion(testDescription: "gives an item that was left another name") { keychain in
            keychain.clock.advance(by: 1)
            let reply = keychain.perform(
                .update, ["acct": .string("old")], changes: ["acct": .string("bank")], caller: former)
            #expect(reply.code == .success)
        },
        Intrusion(testDescription: "changes an item that was left, then gives it another name") { keychain in
            keychain.clock.advance(by: 1)
            for changes in [["labl": PropertyValue.string("l")], ["acct": .string("bank")]] {
                let reply = keychain.perform(.update, ["acct": .string("old")], changes: changes, caller: former)
                #expect(reply.code == .success)
            }
        },
    ]

    @Test(
        "what the former path writes after the adoption is found and moved by the next adoption alone",
        arguments: intrusions)
    func later(_ intrusion: Intrusion) throws {
        let keychain = try Self.keychainWithDuplicate()
        intrusion.act(keychain)
        for _ in 1...2 {
            #expect(Self.groups(keychain, "bank").isEmpty)
            let changed = keychain.perform(
                .update, ["acct": .string("bank")], changes: ["labl": .string("m")], caller: Self.tool)
            #expect(changed.code == .itemNotFound)
            #expect(keychain.perform(.delete, ["acct": .string("bank")], caller: Self.tool).code == .itemNotFound)
            Self.lock(keychain)
            Self.unlock(keychain)
        }
        let missing = keychain.perform(.find, ["acct": .string("bank")], caller: Self.tool)
        #expect(missing.refusal?.rule == .ownerItemsElsewhere)
        #expect(missing.refusal?.reason.contains("(one item)") == true)
        #expect(Self.groups(keychain, "bank", as: Self.former) == Self.former.accessGroups)
        #expect(Self.adopt(keychain)?.moved == 1)
        #expect(Self.groups(keychain, "bank") == [OwnersGroup.name])
    }

    @Test("taking the tools back ends what the owner has of former homes, and a search says where items are")
    func revoked() throws {
        let keychain = try Self.keychainWithDuplicate()
        try keychain.service.ask(RevokeTools(passcode: Self.secret()), caller: Self.tool)
        #expect(Self.groups(keychain, "old") == [OwnersGroup.name])
        Self.add(keychain, "bank", as: Self.former)
        for _ in 1...2 {
            let missing = keychain.perform(.find, ["acct": .string("bank")], caller: Self.tool)
            #expect(missing.code == .itemNotFound)
            #expect(missing.refusal?.rule == .ownerItemsElsewhere)
            #expect(missing.refusal?.reason.contains("(2 items)") == true)
            Self.lock(keychain)
            Self.unlock(keychain)
        }
        #expect(Self.groups(keychain, "bank", as: Self.former) == Self.former.accessGroups)
    }

    @Test("items of a latchkey whose path means nothing are not the tool's: not named, not adopted, not moved")
    func fromElsewhere() throws {
        let keychain = try Self.keychain()
        Self.add(keychain, "bank", as: Self.elsewhere)
        #expect(keychain.perform(.find, ["acct": .string("bank")], caller: Self.tool).refusal == nil)
        let known = try keychain.service.ask(DescribeOwnersTool(), caller: Self.tool)
        #expect(known.formerHomes.isEmpty)
        #expect(Self.adopt(keychain) == Adoption())
        #expect(Self.groups(keychain, "bank").isEmpty)
        #expect(Self.groups(keychain, "bank", as: Self.elsewhere) == Self.elsewhere.accessGroups)
        // The tool itself, at a path that means nothing: what any program there could have stored stays.
        var hidden = Self.elsewhere
        hidden.isOwnersTool = true
        _ = keychain.perform(.find, caller: hidden)
        #expect(Self.groups(keychain, "bank", as: Self.elsewhere) == Self.elsewhere.accessGroups)
    }

    @Test("a device of an earlier version, which noted no items of its homes, has them adopted once more")
    func withoutItems() throws {
        let keychain = try Self.keychain()
        Self.add(keychain, "bank", as: Self.former)
        let homes = PropertyValue.array(Self.former.accessGroups.map { .string($0) })
        try keychain.service.store.database.write { try $0.set(DERWriter.encode(homes), named: "owners-homes") }
        keychain.service.items.callers.owners.forgetCached()
        #expect(Self.groups(keychain, "bank").isEmpty)
        #expect(Self.adopt(keychain)?.moved == 1)
    }
}
