import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Synchronization
import Testing

@testable import LatchkeyKeychainService

@Suite("The owner's items belong to the owner's tool, wherever its file lies")
struct OwnersItemsTests {
    private static func group(_ digit: Character, _ name: String = "latchkey") -> String {
        "unsigned.\(name).\(String(repeating: digit, count: 20))"
    }

    /// A latchkey at a path of its own, as a daemon sees it.
    private static func latchkey(_ digit: Character, isTool: Bool) -> Caller {
        Caller(name: "/\(digit)/latchkey", accessGroups: [group(digit)], isOwnersTool: isTool)
    }

    private static func add(
        _ keychain: TestKeychain, _ account: String, as caller: Caller, _ more: [String: PropertyValue] = [:]
    ) -> ItemModelCode {
        keychain.perform(.add, ["acct": .string(account)].merging(more) { $1 }, secret: account, caller: caller).code
    }

    private typealias ItemModelCode = LatchkeyItemModel.ResultCode

    private static func groups(_ keychain: TestKeychain, _ account: String, as caller: Caller) -> [String] {
        let query: [String: PropertyValue] = [
            "acct": .string(account), "r_Attributes": .boolean(true), "m_Limit": .string("m_LimitAll"),
            "sync": .string("syna"),
        ]
        let reply = keychain.perform(.find, query, caller: caller)
        guard case .array(let items)? = reply.result else { return [] }
        return items.compactMap { item in
            guard case .dictionary(let attributes) = item, case .string(let group)? = attributes["agrp"] else {
                return nil
            }
            return group
        }
    }

    @discardableResult
    private static func adopt(
        _ keychain: TestKeychain, as caller: Caller, _ passcode: String? = nil
    ) throws(DeviceRefusal) -> Adoption {
        let secret = passcode.map { SecretBox(copying: Array($0.utf8)) }
        return try keychain.service.ask(AdoptTool(passcode: secret), caller: caller)
    }

    /// Nil where the adoption is not declined.
    private static func words(_ body: () throws -> Adoption) -> (code: ItemModelCode, refusal: Refusal)? {
        do {
            _ = try body()
        } catch DeviceRefusal.declined(let code, let refusal) {
            return (code, refusal)
        } catch {}
        return nil
    }

    private static func setPasscode(_ keychain: TestKeychain) throws {
        try keychain.service.ask(
            SetPasscode(SecretBox(copying: Array("246810".utf8))), caller: TestKeychain.caller)
    }

    @Test(
        "a tool at another path finds what the first stored; a program other than the tool does not, called so or not")
    func sameItems() throws {
        let keychain = try TestKeychain()
        #expect(Self.add(keychain, "a", as: Self.latchkey("1", isTool: true)) == .success)
        #expect(Self.groups(keychain, "a", as: Self.latchkey("2", isTool: true)) == [OwnersGroup.name])
        #expect(Self.add(keychain, "a", as: Self.latchkey("2", isTool: true)) == .duplicateItem)
        #expect(Self.groups(keychain, "a", as: Self.latchkey("3", isTool: false)).isEmpty)
        #expect(Self.groups(keychain, "a", as: Caller(name: "x", accessGroups: [Self.group("1", "x")])).isEmpty)
        let named = keychain.perform(
            .find, ["agrp": .string(OwnersGroup.name)], caller: Self.latchkey("3", isTool: false))
        #expect(named.code == .missingEntitlement)
    }

    @Test("who is denied the keychain, or refused, gets nothing by being the tool")
    func refused() throws {
        let keychain = try TestKeychain()
        #expect(Self.add(keychain, "a", as: Self.latchkey("1", isTool: true)) == .success)
        let denied = Caller(name: "t", accessGroups: [Self.group("1")], isDenied: true, isOwnersTool: true)
        #expect(keychain.perform(.find, caller: denied).code == .notAvailable)
        let refusal = Refusal(ruleName: Rule.assuranceLevelTooLow.rawValue, reason: "r", advice: "a")
        let refused = Caller(name: "t", accessGroups: [], refusal: refusal, isOwnersTool: true)
        #expect(keychain.perform(.find, caller: refused).code == .missingEntitlement)
        #expect(keychain.perform(.find, caller: refused).refusal == refusal)
    }

    @Test("what a tool stored under its own path before it was the tool moves to the owner's items by itself")
    func settles() throws {
        let keychain = try TestKeychain()
        for (account, more) in [
            ("a", [:]), ("b", ["pdmn": .string("cku")]), ("c", ["sync": .boolean(true)]),
        ] as [(String, [String: PropertyValue])] {
            #expect(Self.add(keychain, account, as: Self.latchkey("1", isTool: false), more) == .success)
        }
        let tool = Self.latchkey("1", isTool: true)
        for account in ["a", "b", "c"] {
            #expect(Self.groups(keychain, account, as: tool) == [OwnersGroup.name])
            #expect(
                Self.add(keychain, account, as: tool, account == "c" ? ["sync": .boolean(true)] : [:]) == .duplicateItem
            )
        }
        let secret = keychain.perform(.find, ["acct": .string("a"), "r_Data": .boolean(true)], caller: tool)
        #expect(secret.secrets.first?.withBytes { Array($0) } == Array("a".utf8))
    }

    @Test("items that are locked now stay, are found where they are, and move when the keys are back")
    func locked() throws {
        let keychain = try TestKeychain()
        try Self.setPasscode(keychain)
        for (account, accessible) in [("a", "aku"), ("b", "cku")] {
            let more: [String: PropertyValue] = ["pdmn": .string(accessible)]
            #expect(Self.add(keychain, account, as: Self.latchkey("1", isTool: false), more) == .success)
        }
        _ = try? keychain.service.ask(LockDevice(immediately: true), caller: TestKeychain.caller)
        let tool = Self.latchkey("1", isTool: true)
        #expect(Self.groups(keychain, "b", as: tool) == [OwnersGroup.name])
        #expect(keychain.perform(.find, ["acct": .string("a")], caller: tool).code == .interactionNotAllowed)
        try keychain.service.ask(
            UnlockDevice(SecretBox(copying: Array("246810".utf8))), caller: TestKeychain.caller)
        #expect(Self.groups(keychain, "a", as: tool) == [OwnersGroup.name])
    }

    @Test("items under other former paths are named in the refusal until they are adopted")
    func adoption() throws {
        let keychain = try TestKeychain()
        let former = Self.latchkey("1", isTool: false)
        keychain.service.noteApplication(
            SeenApplication(
                application: former.name, team: nil, level: .c, accessGroups: former.accessGroups, digest: [],
                path: former.name))
        #expect(Self.add(keychain, "a", as: former) == .success)
        #expect(Self.add(keychain, "b", as: former) == .success)
        // Of a program with a name that only begins so: never the tool's.
        let other = Caller(name: "/o", accessGroups: [Self.group("4", "latchkey.evil")])
        #expect(Self.add(keychain, "c", as: other) == .success)
        let tool = Self.latchkey("2", isTool: true)
        let refused = keychain.perform(.find, ["acct": .string("a")], caller: tool)
        #expect(refused.code == .itemNotFound)
        #expect(refused.refusal?.rule == .ownerItemsElsewhere)
        #expect(refused.refusal?.reason.contains("/1/latchkey (2 items)") == true)
        #expect(refused.refusal?.advice.contains("latchkey adopt") == true)
        #expect(keychain.refusals().map(\.refusal.rule) == [.ownerItemsElsewhere])
        // Not twice in the record, which any program could fill so.
        #expect(keychain.perform(.find, ["acct": .string("a")], caller: tool).refusal != nil)
        #expect(keychain.refusals().count == 1)
        // The same name in the owner's group: this one stays.
        #expect(Self.add(keychain, "b", as: tool) == .success)
        let adoption = try Self.adopt(keychain, as: tool)
        #expect(adoption.moved == 1)
        #expect(adoption.duplicate == 1)
        #expect(adoption.left == 1)
        #expect(Self.groups(keychain, "a", as: tool) == [OwnersGroup.name])
        #expect(Set(Self.groups(keychain, "b", as: tool)) == [OwnersGroup.name, Self.group("1")])
        #expect(Self.groups(keychain, "c", as: tool).isEmpty)
        #expect(keychain.perform(.find, ["acct": .string("z")], caller: tool).refusal == nil)
        // The former path itself does not become a tool: its program does not see the owner's items.
        #expect(Self.groups(keychain, "a", as: former).isEmpty)
    }

    /// Groups of so many latchkeys, each with an item of the name.
    private static func homes(_ count: Int, with account: (Int) -> String, on keychain: TestKeychain) -> [String] {
        (1...count).map { number in
            let digits = String(number)
            let group = "unsigned.latchkey." + String(repeating: "0", count: 20 - digits.count) + digits
            let caller = Caller(name: "/\(number)/latchkey", accessGroups: [group])
            #expect(add(keychain, account(number), as: caller) == .success)
            return group
        }
    }

    private static func listed(_ keychain: TestKeychain) -> [String] {
        keychain.service.items.callers.owners.lists().homes.map(\.accessGroup)
    }

    @Test("a home whose items moved is not remembered, however many there are")
    func emptyHomes() throws {
        let keychain = try TestKeychain()
        _ = Self.homes(70, with: { "\($0)" }, on: keychain)
        let tool = Self.latchkey("a", isTool: true)
        let adoption = try Self.adopt(keychain, as: tool)
        #expect(adoption.moved == 70 && adoption.left == 0)
        #expect(Self.groups(keychain, "70", as: tool) == [OwnersGroup.name])
        #expect(keychain.service.items.callers.owners.lists().homes.isEmpty)
    }

    @Test(
        "more homes than are remembered are refused with what to do, and a home that is empty makes room"
    )
    func tooManyHomes() throws {
        let keychain = try TestKeychain()
        // All but the first are in each other's way.
        let homes = Self.homes(66, with: { _ in "same" }, on: keychain)
        let tool = Self.latchkey("a", isTool: true)
        let (code, refusal) = try #require(Self.words { try Self.adopt(keychain, as: tool) })
        #expect(code == .notAvailable)
        #expect(refusal.rule == .tooManyFormerPlaces)
        #expect(refusal.reason.contains("in 1 of them"))
        #expect(Self.listed(keychain) == Array(homes[1...64]))
        #expect(Self.groups(keychain, "same", as: tool).count == 65)
        let emptied = Caller(name: "x", accessGroups: [homes[7]])
        #expect(keychain.perform(.delete, ["acct": .string("same")], caller: emptied).code == .success)
        try Self.adopt(keychain, as: tool)
        #expect(Set(Self.listed(keychain)) == Set(homes[1...]).subtracting([homes[7]]))
        #expect(try keychain.service.ask(RevokeTools(passcode: nil), caller: tool) == RemovedCount(0))
        #expect(Self.listed(keychain).isEmpty)
    }

    @Test("programs whose names only begin like the tool's do not crowd out its homes")
    func crowd() throws {
        let keychain = try TestKeychain()
        for number in 0..<OwnersTool.formerHomeLimit {
            let other = Caller(name: "/o", accessGroups: [Self.group("4", "latchkey.0\(number)")])
            #expect(Self.add(keychain, "c", as: other) == .success)
        }
        #expect(Self.add(keychain, "a", as: Self.latchkey("f", isTool: false)) == .success)
        let tool = Self.latchkey("2", isTool: true)
        #expect(keychain.perform(.find, ["acct": .string("a")], caller: tool).refusal?.rule == .ownerItemsElsewhere)
        let adoption = try Self.adopt(keychain, as: tool)
        #expect(adoption.moved == 1)
    }

    @Test("items are tried again when keys came or went, and not when a program asks what a passcode costs")
    func triedAgain() throws {
        let keychain = try TestKeychain()
        try Self.setPasscode(keychain)
        let more: [String: PropertyValue] = ["pdmn": .string("aku")]
        #expect(Self.add(keychain, "a", as: Self.latchkey("1", isTool: false), more) == .success)
        let service = keychain.service
        _ = try? service.ask(LockDevice(immediately: true), caller: TestKeychain.caller)
        let tool = Self.latchkey("1", isTool: true)
        #expect(keychain.perform(.find, ["acct": .string("a")], caller: tool).code == .interactionNotAllowed)
        let tried = service.items.callers.mover.testOnlySettled
        #expect(tried == [Self.group("1")])
        let questions: [any DeviceQuestion] = [
            Forwarded(MeasurePasscodeCost()), Forwarded(UnlockDevice(SecretBox(copying: Array("000000".utf8)))),
            Forwarded(AskBiometry()),
        ]
        for question in questions {
            _ = keychain.outcome(question)
            #expect(service.items.callers.mover.testOnlySettled == tried)
        }
        _ = try? service.ask(UnlockDevice(SecretBox(copying: Array("246810".utf8))), caller: TestKeychain.caller)
        #expect(service.items.callers.mover.testOnlySettled.isEmpty)
    }

    @Test("with a passcode set an adoption needs it")
    func adoptionNeedsPasscode() throws {
        let keychain = try TestKeychain()
        #expect(Self.add(keychain, "a", as: Self.latchkey("1", isTool: false)) == .success)
        try Self.setPasscode(keychain)
        let tool = Self.latchkey("2", isTool: true)
        for passcode in [nil, "000000"] {
            let error = #expect(throws: DeviceRefusal.self) { try Self.adopt(keychain, as: tool, passcode) }
            guard case .refused = error else {
                Issue.record("adopted with \(passcode ?? "nothing")")
                return
            }
        }
        #expect(Self.groups(keychain, "a", as: tool).isEmpty)
        let adoption = try Self.adopt(keychain, as: tool, "246810")
        #expect(adoption.moved == 1)
    }

    @Test(
        "another latchkey becomes the owner's tool with the passcode alone, no other program does, and it is taken back"
    )
    func anotherTool() throws {
        let keychain = try TestKeychain(kind: "daemon", ownersToolPath: "/usr/lib/latchkey/latchkey")
        #expect(Self.add(keychain, "a", as: Self.latchkey("1", isTool: true)) == .success)
        let another = Self.latchkey("2", isTool: false)
        let missing = keychain.perform(.find, ["acct": .string("a")], caller: another)
        #expect(missing.code == .itemNotFound)
        #expect(missing.refusal?.rule == .notTheOwnersTool)
        #expect(missing.refusal?.reason.contains("/usr/lib/latchkey/latchkey") == true)
        // Without a passcode every program could say so.
        let refusal = try #require(Self.words { try Self.adopt(keychain, as: another) }).refusal
        #expect(refusal.rule == .ownerNeedsPasscode)
        try Self.setPasscode(keychain)
        let mail = Caller(name: "/m/mail", accessGroups: [Self.group("3", "mail")])
        let contained = Caller(
            name: "/c/latchkey", accessGroups: ["unsigned.elsewhere.latchkey.\(String(repeating: "5", count: 20))"])
        let signed = Caller(name: "TEAM.t", accessGroups: [Self.group("2")], application: "TEAM.t", level: .b)
        for program in [mail, contained, signed] {
            let refusal = try #require(Self.words { try Self.adopt(keychain, as: program, "246810") }).refusal
            #expect(refusal.rule == .notTheOwnersTool)
        }
        #expect(Self.add(keychain, "b", as: another) == .success)
        let adoption = try Self.adopt(keychain, as: another, "246810")
        #expect(adoption.moved == 1)
        for account in ["a", "b"] { #expect(Self.groups(keychain, account, as: another) == [OwnersGroup.name]) }
        #expect(Self.groups(keychain, "a", as: Self.latchkey("4", isTool: false)).isEmpty)
        let revoked = try keychain.service.ask(
            RevokeTools(passcode: SecretBox(copying: Array("246810".utf8))), caller: TestKeychain.caller)
        #expect(revoked == RemovedCount(1))
        #expect(Self.groups(keychain, "a", as: another).isEmpty)
    }

    @Test("no advice names the file of the tool once that was moved or removed under the running daemon")
    func removedTool() throws {
        let path = "/usr/lib/latchkey/latchkey"
        let isGone = Mutex(false)
        let keychain = try TestKeychain(
            kind: "daemon", ownersToolPath: path, isFileGone: { file in isGone.withLock { $0 && file == path } })
        let another = Self.latchkey("2", isTool: false)
        for gone in [false, true] {
            isGone.withLock { $0 = gone }
            let missing = keychain.perform(.find, ["acct": .string("a")], caller: another).refusal
            #expect(missing?.rule == .notTheOwnersTool)
            #expect(missing?.advice.contains(path) == !gone)
            #expect(missing?.advice.contains("doctor") == gone)
            let refusal = try #require(Self.words { try Self.adopt(keychain, as: another) }).refusal
            let tool = try keychain.service.ask(DescribeOwnersTool(), caller: another)
            #expect(refusal.advice.contains(path) == !gone)
            #expect(refusal.advice.contains("doctor") == gone)
            #expect(tool.path == (gone ? nil : path))
        }
    }

    @Test("adopted tools and groups are kept over a restart, and an erase forgets them")
    func restart() throws {
        let directory = try SharedDirectory()
        let first = try TestKeychain(directory.path, kind: "daemon", ownersToolPath: "/t")
        try Self.setPasscode(first)
        #expect(Self.add(first, "a", as: Self.latchkey("1", isTool: true)) == .success)
        try Self.adopt(first, as: Self.latchkey("2", isTool: false), "246810")
        first.service.close()
        let second = try TestKeychain(directory.path, kind: "daemon", ownersToolPath: "/t")
        let passcode = SecretBox(copying: Array("246810".utf8))
        guard (try? second.service.ask(UnlockDevice(passcode), caller: TestKeychain.caller)) != nil else {
            Issue.record("it does not unlock")
            return
        }
        #expect(Self.groups(second, "a", as: Self.latchkey("2", isTool: false)) == [OwnersGroup.name])
        guard (try? second.service.ask(EraseDevice(passcode: passcode), caller: TestKeychain.caller)) != nil else {
            Issue.record("it is not erased")
            return
        }
        #expect(Self.add(second, "a", as: Self.latchkey("1", isTool: true)) == .success)
        #expect(Self.groups(second, "a", as: Self.latchkey("2", isTool: false)).isEmpty)
    }
}
