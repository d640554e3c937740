import GRDB
import Glibc
import LatchkeyAccessControl
import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@testable import LatchkeyKeychainService

@Suite("The owner's passcode opens no door that device or program keep to an assurance level")
struct OwnerAccessTests {
    private static let vault = "TEAMTEAMTE.vault"

    private static func caller(
        _ level: AssuranceLevel, user: UInt32 = 1000, refusal: Refusal? = nil
    ) -> Caller {
        Caller(
            name: "tool", accessGroups: refusal == nil ? ["tool"] : [], level: level,
            process: CallerProcess(processID: 9, userID: user, executableDigest: nil), refusal: refusal)
    }

    private static let tooLow = Refusal(ruleName: Rule.assuranceLevelTooLow.rawValue, reason: "r", advice: "a")

    /// A device with the passcode 1234, and an item "a" in each of `groups`.
    private func device(
        _ directory: String? = nil, groups: [String] = [vault, "open"]
    ) throws -> TestKeychain {
        let keychain = try TestKeychain(directory)
        for group in groups {
            let owner = Caller(name: group, accessGroups: [group])
            let code = keychain.perform(
                .add, ["acct": .string("a"), "svce": .string("s")], secret: group, caller: owner
            ).code
            #expect(code == .success)
        }
        #expect(keychain.outcome(SetPasscode(passcodeBox("1234"))) == "done")
        return keychain
    }

    private func note(_ keychain: TestKeychain, _ groups: [String], demanding level: AssuranceLevel?) {
        keychain.service.noteApplication(
            SeenApplication(
                application: "TEAMTEAMTE.app", team: TeamKeys.one.identifier, level: .a, accessGroups: groups,
                digest: [], path: "/app"), demanding: level)
    }

    private func ask(
        _ keychain: TestKeychain, _ operation: ItemOperation = .find, in group: String, _ caller: Caller,
        named: String? = nil, passcode: String = "1234"
    ) -> ItemReply {
        var query = [QueryPair("class", .string("genp")), QueryPair("acct", .string("a"))]
        if let named { query.append(QueryPair("agrp", .string(named))) }
        if operation == .find {
            query += [QueryPair("m_Limit", .string("m_LimitAll")), QueryPair("r_Attributes", .boolean(true))]
        }
        return keychain.service.perform(
            ItemRequest(
                operation: operation, query: query,
                changes: operation == .update ? [QueryPair("labl", .string("changed"))] : [],
                wantsResult: operation == .find,
                owner: OwnerAuthority(accessGroup: group, passcode: passcodeBox(passcode))), caller: caller)
    }

    private func groups(_ reply: ItemReply) -> Set<String> {
        guard case .array(let items)? = reply.result else { return [] }
        return Set(
            items.compactMap {
                if case .dictionary(let item) = $0, case .string(let group)? = item["agrp"] { group } else { nil }
            })
    }

    @Test("a group whose program demands a level opens for callers of that level, and for root")
    func demandedGroup() throws {
        let keychain = try device()
        note(keychain, [Self.vault, "com.apple.token"], demanding: .a)
        for level in [AssuranceLevel.c, .b] {
            let reply = ask(keychain, in: Self.vault, Self.caller(level))
            #expect(reply.code == .missingEntitlement)
            #expect(reply.refusal?.rule == .assuranceLevelTooLow)
            // The refusal does not serve as an oracle: the passcode was not looked at.
            #expect(ask(keychain, in: Self.vault, Self.caller(level), passcode: "9999").code == .missingEntitlement)
        }
        #expect(keychain.status?.enclave.failedAttempts == 0)
        #expect(ask(keychain, in: Self.vault, Self.caller(.a)).code == .success)
        #expect(ask(keychain, in: Self.vault, Self.caller(.c, user: 0)).code == .success)
        #expect(ask(keychain, in: "open", Self.caller(.c)).code == .success)
    }

    @Test("all groups are all but those, in every operation that reaches into them")
    func allGroups() throws {
        let keychain = try device()
        note(keychain, [Self.vault], demanding: .a)
        let caller = Self.caller(.c)
        #expect(groups(ask(keychain, in: "*", caller)) == ["open"])
        #expect(groups(ask(keychain, in: "*", Self.caller(.a))) == ["open", Self.vault])
        #expect(groups(ask(keychain, in: "*", Self.caller(.c, user: 0))) == ["open", Self.vault])
        for operation in [ItemOperation.find, .add, .update, .delete] {
            let reply = ask(keychain, operation, in: "*", caller, named: Self.vault)
            #expect(reply.refusal?.rule == .assuranceLevelTooLow, "\(operation)")
        }
        #expect(ask(keychain, .update, in: "*", caller).affectedRows == 1)
        #expect(ask(keychain, .delete, in: "*", caller).affectedRows == 1)
        #expect(groups(ask(keychain, in: "*", Self.caller(.a))) == [Self.vault])
        // Nothing else is left.
        #expect(ask(keychain, in: "*", caller).refusal?.rule == .assuranceLevelTooLow)
        // A new item may go into a group that has none yet, and names it as before.
        #expect(ask(keychain, .add, in: "*", caller, named: "new").code == .success)
        #expect(ask(keychain, .add, in: "*", caller).code == .missingEntitlement)
    }

    static let spellings: [[QueryPair]] = [
        [QueryPair("agrp", .data(Array(vault.utf8)))],
        [QueryPair("agrp", .string("open")), QueryPair("agrp", .string(vault))],
        [QueryPair("agrp", .string(vault)), QueryPair("agrp", .string("open"))],
    ]

    @Test(
        "no spelling of the group's name gets past the demand, in any operation",
        arguments: spellings, [ItemOperation.find, .add, .update, .delete])
    func spelling(_ named: [QueryPair], _ operation: ItemOperation) throws {
        let keychain = try device()
        note(keychain, [Self.vault], demanding: .a)
        let reply = keychain.service.perform(
            ItemRequest(
                operation: operation,
                query: [QueryPair("class", .string("genp")), QueryPair("acct", .string("planted"))] + named,
                changes: operation == .update ? [QueryPair("labl", .string("changed"))] : [], wantsResult: false,
                owner: OwnerAuthority(accessGroup: "*", passcode: passcodeBox("1234"))), caller: Self.caller(.c))
        #expect(reply.refusal?.rule == (named.count == 1 ? .assuranceLevelTooLow : .duplicateKey))
        #expect(keychain.status?.itemCounts["genp"] == 2)
    }

    @Test("a group whose name is longer than a record's is kept as well, and nothing is moved into it")
    func longName() throws {
        let long = "TEAMTEAMTE." + String(repeating: "x", count: 300)
        let keychain = try device(groups: [long, "open"])
        note(keychain, [long], demanding: .a)
        let caller = Self.caller(.c)
        for operation in [ItemOperation.find, .add, .update, .delete] {
            let reply = ask(keychain, operation, in: "*", caller, named: long)
            #expect(reply.refusal?.rule == .assuranceLevelTooLow, "\(operation)")
        }
        let moved = keychain.service.perform(
            ItemRequest(
                operation: .update, query: [QueryPair("class", .string("genp"))],
                changes: [QueryPair("agrp", .data(Array(long.utf8)))], wantsResult: false,
                owner: OwnerAuthority(accessGroup: "*", passcode: passcodeBox("1234"))), caller: caller)
        #expect(moved.refusal?.rule == .foreignAccessGroup)
        #expect(groups(ask(keychain, in: "*", Self.caller(.a))) == ["open", long])
    }

    @Test("of two demands at once the stronger one stays")
    func demandsAtOnce() throws {
        let keychain = try device()
        let (database, demands) = (keychain.service.store.database, keychain.service.programs.registry.demands)
        // Both have seen that there is none when they wait for the transaction: the stronger one first, then the other.
        let notes = try database.write { _ in
            [AssuranceLevel.a, .b].enumerated().map { index, level in
                let note = Pending { () -> Void? in try? demands.note(level, for: [Self.vault]) }
                while database.testOnlyWaitingWriters <= index { usleep(1_000) }
                return note
            }
        }
        for note in notes { #expect(note.value != nil) }
        #expect(ask(keychain, in: Self.vault, Self.caller(.b)).code == .missingEntitlement)
    }

    @Test("a demand is raised and never lowered, outlives a restart and the app, and ends with the items")
    func life() throws {
        let directory = try SharedDirectory()
        let first = try device(directory.path)
        note(first, [Self.vault], demanding: .b)
        #expect(ask(first, in: Self.vault, Self.caller(.b)).code == .success)
        note(first, [Self.vault], demanding: .a)
        note(first, [Self.vault], demanding: .b)
        note(first, [Self.vault], demanding: nil)
        #expect(ask(first, in: Self.vault, Self.caller(.b)).code == .missingEntitlement)
        first.service.close()
        let second = try TestKeychain(directory.path)
        #expect(ask(second, in: Self.vault, Self.caller(.b)).code == .missingEntitlement)
        func forget(removesItems: Bool) -> String {
            second.outcome(
                ForgetApplication("TEAMTEAMTE.app", removesItems: removesItems, passcode: passcodeBox("1234")))
        }
        #expect(second.outcome(UnlockDevice(passcodeBox("1234"))) == "done")
        #expect(forget(removesItems: false) == "forgotten 0")
        #expect(ask(second, in: Self.vault, Self.caller(.b)).code == .missingEntitlement)
        note(second, [Self.vault], demanding: .a)
        #expect(forget(removesItems: true) == "forgotten 1")
        #expect(ask(second, in: Self.vault, Self.caller(.b)).code == .itemNotFound)
    }

    @Test("an erase forgets demands")
    func erased() throws {
        let keychain = try device()
        note(keychain, [Self.vault], demanding: .a)
        #expect(keychain.outcome(EraseDevice(passcode: passcodeBox("1234"))) == "done")
        #expect(keychain.outcome(SetPasscode(passcodeBox("1234"))) == "done")
        #expect(ask(keychain, in: Self.vault, Self.caller(.c)).code == .itemNotFound)
    }

    @Test("a demand that cannot be read is the strongest")
    func damaged() throws {
        let keychain = try device()
        try keychain.raw { try $0.execute(sql: "INSERT INTO settings VALUES ('demanded-level/open', x'FF')") }
        #expect(ask(keychain, in: "open", Self.caller(.b)).code == .missingEntitlement)
        #expect(ask(keychain, in: "open", Self.caller(.a)).code == .success)
    }

    @Test("a program that gets no groups has no owner's access either; root has")
    func refusedProgram() throws {
        let keychain = try device()
        let refused = ask(keychain, in: "open", Self.caller(.c, refusal: Self.tooLow))
        #expect(refused.code == .missingEntitlement)
        #expect(refused.refusal == Self.tooLow)
        #expect(groups(ask(keychain, in: "*", Self.caller(.c, refusal: Self.tooLow))).isEmpty)
        #expect(ask(keychain, in: "open", Self.caller(.c, user: 0, refusal: Self.tooLow)).code == .success)
    }

    @Test("a program that gets no groups learns nothing of other programs, and has no person asked")
    func questions() throws {
        let keychain = try device()
        note(keychain, [Self.vault], demanding: nil)
        let service = keychain.service
        let (refused, other) = (Self.caller(.c, refusal: Self.tooLow), Caller(name: "other", accessGroups: ["o"]))
        _ = keychain.perform(.find, ["agrp": .string("foreign")], caller: other)
        _ = keychain.perform(.find, ["agrp": .string("foreign")], caller: refused)
        let own = try service.ask(ListRefusals(limit: 10), caller: refused)
        let all = try service.ask(ListRefusals(limit: 10), caller: Self.caller(.c, user: 0))
        #expect(throws: DeviceRefusal.declined(.missingEntitlement, Self.tooLow)) {
            try service.ask(ListApplications(), caller: refused)
        }
        try service.ask(ListApplications(), caller: other)
        #expect(own.map(\.caller) == ["tool"])
        #expect(all.map(\.caller) == ["tool", "other"])
        let session = ServiceSession(service: service)
        let asking: [any AuthenticationQuestion] = [
            CheckPolicy(.deviceOwner), EvaluatePolicy(.deviceOwner, Interaction()),
        ]
        for question in asking {
            #expect(
                service.refusal(of: question, caller: refused, session: session)
                    == AuthenticationRefusal(.notInteractive, Self.tooLow), "\(question)")
        }
        // Questions that help the person to see and to fix it are answered.
        try service.ask(ListTeams(), caller: refused)
        try service.ask(DescribeDevice(), caller: refused)
        guard (try? service.ask(LockDevice(immediately: true), caller: refused)) != nil,
            (try? service.ask(UnlockDevice(passcodeBox("1234")), caller: refused)) != nil
        else {
            Issue.record("other answers")
            return
        }
    }
}
