import Foundation
import LatchkeyAuditLog
import LatchkeyCodeSignature
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@Suite("What the keychain tells the audit log")
struct AuditTrailTests {
    private struct Line: Hashable, CustomStringConvertible {
        let operation: String
        let itemClass: String
        let group: String
        let code: Int32
        let rule: String

        init(_ operation: String, _ itemClass: String, _ group: String, _ code: Int32 = 0, _ rule: String = "") {
            self.operation = operation
            self.itemClass = itemClass
            self.group = group
            self.code = code
            self.rule = rule
        }

        var description: String { "\(operation) \(itemClass) in \(group): \(code) \(rule)" }
    }

    /// The lines of the file, the oldest first.
    private func lines(_ keychain: TestKeychain) throws -> [Line] {
        try records(keychain).map { record in
            let event = record.event
            return Line(event.operation, event.itemClass, event.accessGroup, event.code, event.rule)
        }
    }

    private func records(_ keychain: TestKeychain) throws -> [AuditRecord] {
        try AuditReader(directory: keychain.directory + "/keychain").tail(.max).reversed()
    }

    private func passcode(_ text: String) -> SecretBox { SecretBox(copying: Array(text.utf8)) }

    private func ownersFind(_ keychain: TestKeychain, _ group: String, _ text: String) -> ResultCode {
        keychain.service.perform(
            ItemRequest(
                operation: .find, query: [QueryPair("class", .string("genp"))], wantsResult: true,
                owner: OwnerAuthority(accessGroup: group, passcode: passcode(text))), caller: TestKeychain.caller
        ).code
    }

    @Test("every item call: operation, class, group, and how it ended")
    func itemCalls() throws {
        let keychain = try TestKeychain()
        keychain.add("a", "1")
        keychain.add("a", "1")
        keychain.add("b", "2", ["agrp": .string("h")])
        _ = keychain.secret(of: "a")
        _ = keychain.secret(of: "nobody")
        _ = keychain.perform(.update, ["acct": .string("a")], secret: "3")
        _ = keychain.perform(.find, ["class": .string("inet")])
        _ = keychain.perform(.find, ["agrp": .string("foreign")])
        _ = keychain.perform(.add, ["class": .string("idnt")])
        _ = keychain.perform(.delete, ["acct": .string("a")])
        _ = keychain.perform(.find, caller: Caller(name: "nobody", accessGroups: []))
        keychain.service.close()
        let expected = [
            Line("add", "genp", "g"), Line("add", "genp", "g", -25299), Line("add", "genp", "h"),
            Line("find", "genp", "g"), Line("find", "genp", "g", -25300), Line("update", "genp", "g"),
            Line("find", "inet", "g", -25300), Line("find", "genp", "foreign", -34018, "foreign-access-group"),
            Line("add", "idnt", "g", -50, "identity-without-reference"), Line("delete", "genp", "g"),
            Line("find", "genp", "", -34018, "no-access-groups"),
        ]
        #expect(try lines(keychain) == expected)
        #expect(try records(keychain).allSatisfy { $0.time == keychain.clock.wallTime() && $0.count == 1 })
    }

    @Test("calls that are the same are counted, each of them")
    func counts() throws {
        let keychain = try TestKeychain()
        keychain.add("a", "1")
        for _ in 0..<50 { _ = keychain.secret(of: "a") }
        keychain.clock.advance(by: 10)
        for _ in 0..<50 { _ = keychain.secret(of: "a") }
        keychain.service.close()
        let finds = try records(keychain).filter { $0.event.operation == "find" }
        #expect(finds.reduce(0) { $0 + $1.count } == 100)
        #expect(finds.count <= 3)
        #expect(Set(finds.map(\.time)).count == 2)
    }

    @Test("a refusal is in the file when the program has its answer, and everything before it")
    func refusalsAtOnce() throws {
        let keychain = try TestKeychain()
        keychain.add("a", "1")
        keychain.add("b", "1", ["agrp": .string("h")])
        _ = keychain.perform(.find, ["agrp": .string("foreign")])
        #expect(try lines(keychain).map(\.group) == ["g", "h", "foreign"])
    }

    @Test("who called: application, team, level, process, user and executable")
    func caller() throws {
        let keychain = try TestKeychain()
        let digest = [UInt8](0..<32)
        let signed = Caller(
            name: "/opt/mail", accessGroups: ["ABCDEFGHIJ.mail"], application: "ABCDEFGHIJ.org.example.mail", level: .a,
            process: CallerProcess(processID: 77, userID: 1000, executableDigest: digest))
        _ = keychain.perform(.find, caller: signed)
        _ = keychain.perform(.find)
        keychain.service.close()
        let events = try records(keychain).map(\.event)
        #expect(events.count == 2)
        #expect(events[0].program == "ABCDEFGHIJ.org.example.mail")
        #expect(events[0].team?.text == "ABCDEFGHIJ")
        #expect(events[0].level == .a)
        #expect(events[0].processID == 77 && events[0].userID == 1000)
        #expect(events[0].executableDigest == digest)
        #expect(events[0].accessGroup == "ABCDEFGHIJ.mail")
        #expect(events[1].program == "app" && events[1].team == nil && events[1].level == .c)
        #expect(events[1].executableDigest.isEmpty)
    }

    @Test("what the owner does in another program's group, let in or not")
    func owner() throws {
        let keychain = try TestKeychain()
        #expect(ownersFind(keychain, "theirs", "1") == .authFailed)
        _ = try? keychain.service.ask(SetPasscode(passcode("1234")), caller: TestKeychain.caller)
        #expect(ownersFind(keychain, "theirs", "1234") == .itemNotFound)
        #expect(ownersFind(keychain, "theirs", "9") == .authFailed)
        #expect(
            try lines(keychain) == [
                Line("owner-find", "genp", "theirs", -25293, "owner-needs-passcode"), Line("set-passcode", "", ""),
                Line("owner-find", "genp", "theirs", -25300),
                Line("owner-find", "genp", "theirs", -25293, "owner-passcode-refused"),
            ])
    }

    @Test("what the owner's find has given is on record before the program has it, also if it takes no more")
    func ownersParts() throws {
        let keychain = try TestKeychain()
        let theirs = Caller(name: "them", accessGroups: ["theirs"])
        for number in 0..<20 {
            let secret = String(repeating: "x", count: 1 << 20)
            #expect(
                keychain.perform(.add, ["acct": .string("\(number)")], secret: secret, caller: theirs).code == .success)
        }
        _ = try keychain.service.ask(SetPasscode(passcode("1234")), caller: TestKeychain.caller)
        let all = ItemRequest(
            operation: .find,
            query: [
                QueryPair("class", .string("genp")), QueryPair("m_Limit", .string("m_LimitAll")),
                QueryPair("r_Data", .boolean(true)),
            ], wantsResult: true, owner: OwnerAuthority(accessGroup: "theirs", passcode: passcode("1234")))
        var meanwhile: [Line] = []
        let last = keychain.service.find(all, caller: TestKeychain.caller) { _ in
            meanwhile = (try? lines(keychain)) ?? []
            return false
        }
        #expect(last.reply.code == .userCanceled)
        #expect(meanwhile.last == Line("owner-find", "genp", "theirs"))
        #expect(try lines(keychain).suffix(2) == [meanwhile.last, Line("owner-find", "genp", "theirs", -128)])
    }

    @Test("what is done to the device, when it is done; questions are not on record")
    func device() throws {
        let keychain = try TestKeychain()
        let key = try #require(TeamPublicKey([4] + [UInt8](repeating: 7, count: 64)))
        let questions: [any DeviceQuestion] = [
            DescribeDevice(), Forwarded(SetPasscode(passcode("1234"))),
            Forwarded(SetPasscode(passcode("2"))), Forwarded(LockDevice(immediately: true)),
            Forwarded(UnlockDevice(passcode("wrong"))), Forwarded(UnlockDevice(passcode("1234"))),
            Forwarded(
                ConfigureDevice(
                    passcode: passcode("1234"), eraseAfterTenFailures: false, gracePeriodSeconds: 1)),
            Forwarded(ChangePasscode(from: passcode("1234"), to: passcode("5"))),
            ListRefusals(limit: 5), ListTeams(), ListApplications(),
            TrustTeam(key: key, name: "t", expires: nil, passcode: passcode("5")),
            RevokeTeam(key.identifier, passcode: nil),
            ForgetApplication("none", removesItems: nil, passcode: passcode("5")),
            Forwarded(RemovePasscode(passcode("5"))), Forwarded(RemovePasscode(passcode("5"))),
            Forwarded(EraseDevice(passcode: nil)),
        ]
        for question in questions { _ = keychain.outcome(question) }
        let team = key.identifier.text
        let expected = [
            Line("set-passcode", "", ""), Line("set-passcode", "", "", -25293, "passcode-already-set"),
            Line("lock", "", ""), Line("unlock", "", "", -25293, "wrong-passcode"), Line("unlock", "", ""),
            Line("configure", "", ""), Line("change-passcode", "", ""), Line("trust-team", "", team),
            Line("revoke-team", "", team, -25293, "passcode-needed"),
            Line("forget-app", "", "none", -25300, "app-not-known"), Line("remove-passcode", "", ""),
            Line("remove-passcode", "", "", -25293, "no-passcode-set"), Line("erase", "", ""),
        ]
        #expect(try lines(keychain) == expected)
    }

    @Test("neither values of a query nor secrets nor passcodes are in any file of it")
    func noValues() throws {
        let keychain = try TestKeychain()
        let names = ["acct", "svce", "labl", "desc", "icmt"]
        var query: [String: PropertyValue] = names.reduce(into: [:]) { $0[$1] = .string("NEEDLE-" + $1) }
        query["gena"] = .data(Array("NEEDLE-gena".utf8))
        for group in ["g", "foreign"] {
            query["agrp"] = .string(group)
            for operation in [ItemOperation.add, .find, .update, .delete] {
                let isChange = operation == .add || operation == .update
                _ = keychain.perform(operation, query, secret: isChange ? "NEEDLE-secret" : nil)
            }
        }
        _ = keychain.outcome(SetPasscode(passcode("NEEDLE-1")))
        _ = keychain.outcome(UnlockDevice(passcode("NEEDLE-2")))
        _ = ownersFind(keychain, "theirs", "NEEDLE-1")
        keychain.service.close()
        #expect(try records(keychain).count == 11)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: keychain.directory + "/keychain/audit"))
        #expect(bytes.range(of: Data("NEEDLE".utf8)) == nil)
        #expect(bytes.range(of: Data("theirs".utf8)) != nil, "the search finds what is there")
    }

    @Test("a log that cannot be written fails no call")
    func unwritable() throws {
        let keychain = try TestKeychain()
        try FileManager.default.createDirectory(
            atPath: keychain.directory + "/keychain/audit", withIntermediateDirectories: false)
        #expect(keychain.add("a", "1") == .success)
        #expect(keychain.secret(of: "a") == .success("1"))
        #expect(keychain.perform(.find, ["agrp": .string("foreign")]).code == .missingEntitlement)
        guard (try? keychain.service.ask(SetPasscode(passcode("1")), caller: TestKeychain.caller)) != nil
        else {
            Issue.record("the passcode was not set")
            return
        }
    }

    @Test("a broken log is reported with the device's status, and kept")
    func broken() throws {
        let directory = try SharedDirectory()
        do {
            let keychain = try TestKeychain(directory.path)
            keychain.add("a", "1")
        }
        let url = URL(fileURLWithPath: directory.path + "/keychain/audit")
        var bytes = try Data(contentsOf: url)
        bytes[40] ^= 1
        try bytes.write(to: url)
        let keychain = try TestKeychain(directory.path)
        #expect(keychain.status?.damageReport == nil)
        keychain.add("b", "1")
        #expect(keychain.status?.damageReport?.contains("audit.broken-") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: directory.path + "/keychain/audit.broken-1")) == bytes)
    }

    @Test("the log goes on after an erase: that is on record, too")
    func erase() throws {
        let keychain = try TestKeychain()
        keychain.add("a", "1")
        _ = try? keychain.service.ask(EraseDevice(passcode: nil), caller: TestKeychain.caller)
        keychain.add("a", "1")
        keychain.service.close()
        #expect(try lines(keychain).map(\.operation) == ["add", "erase", "add"])
        #expect(try AuditReader(directory: keychain.directory + "/keychain").verify().fault == nil)
    }
}
