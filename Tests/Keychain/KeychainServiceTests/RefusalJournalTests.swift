import Foundation
import LatchkeyAuditLog
import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@Suite struct RefusalJournalTests {
    /// A call that is refused; the group tells the records apart.
    private func refuse(_ keychain: TestKeychain, _ group: String) {
        #expect(keychain.perform(.find, ["agrp": .string(group)]).code == .missingEntitlement)
    }

    @Test("a refusal is remembered with who, what, where, and why")
    func record() throws {
        let keychain = try TestKeychain()
        refuse(keychain, "foreign")
        let record = try #require(keychain.refusals().first)
        #expect(record.caller == "app")
        #expect(record.operation == "find")
        #expect(record.itemClass == "genp")
        #expect(record.accessGroup == "foreign")
        #expect(record.code == .missingEntitlement)
        #expect(record.refusal.rule == .foreignAccessGroup)
        #expect(record.application == nil && record.level == .c)
        #expect(record.time == keychain.clock.wallTime())
        #expect(!record.refusal.reason.isEmpty && !record.refusal.advice.isEmpty)
    }

    @Test("the application and the level of a signed program are remembered")
    func signedCaller() throws {
        let keychain = try TestKeychain()
        let caller = Caller(
            name: "/opt/mail", accessGroups: ["m"], application: "ABCDEFGHIJ.org.example.mail", level: .b)
        #expect(keychain.perform(.find, ["agrp": .string("foreign")], caller: caller).code == .missingEntitlement)
        let record = try #require(keychain.refusals().first)
        #expect(record.application == "ABCDEFGHIJ.org.example.mail" && record.level == .b)
    }

    @Test("records of the time before signatures are of level C")
    func oldRecord() throws {
        let keychain = try TestKeychain()
        let old = DERWriter.encode(
            .dictionary([
                "time": .date(7), "caller": .string("/bin/old"), "operation": .string("find"),
                "class": .string("genp"), "group": .string("g"), "state": .string("locked"), "code": .integer(-25308),
                "rule": .string("class-key-locked"), "reason": .string("r"), "advice": .string("a"),
            ]))
        let length = [UInt8(truncatingIfNeeded: old.count), UInt8(old.count >> 8), 0, 0]
        try Data(length + old).write(to: URL(fileURLWithPath: keychain.directory + "/keychain/refusals"))
        refuse(keychain, "foreign")
        let records = keychain.refusals()
        #expect(records.map(\.caller) == ["app", "/bin/old"])
        #expect(records.last?.level == .c && records.last?.application == nil)
        #expect(records.last?.refusal.rule == .classKeyLocked)
    }

    @Test("not found and duplicate say everything already: no record")
    func plainCodes() throws {
        let keychain = try TestKeychain()
        #expect(keychain.secret(of: "nobody") == .failure(.itemNotFound))
        keychain.add("a", "1")
        #expect(keychain.add("a", "1") == .duplicateItem)
        #expect(keychain.refusals().isEmpty)
    }

    @Test("the newest comes first, as many as asked for, and they outlive the process")
    func order() throws {
        let directory = try SharedDirectory()
        do {
            let keychain = try TestKeychain(directory.path)
            for number in 0..<5 { refuse(keychain, "group \(number)") }
        }
        let keychain = try TestKeychain(directory.path)
        #expect(keychain.refusals(3).map(\.accessGroup) == ["group 4", "group 3", "group 2"])
        #expect(keychain.refusals(0).isEmpty)
        #expect(keychain.refusals(-1).isEmpty)
    }

    @Test("neither names nor values of a query are in the file")
    func noValues() throws {
        let keychain = try TestKeychain()
        let query: [String: PropertyValue] = [
            "agrp": .string("foreign"), "acct": .string("NEEDLE-account"), "svce": .string("NEEDLE-service"),
            "labl": .data(Array("NEEDLE-label".utf8)),
        ]
        #expect(keychain.perform(.add, query, secret: "NEEDLE-secret").code == .missingEntitlement)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: keychain.directory + "/keychain/refusals"))
        #expect(!bytes.isEmpty)
        #expect(bytes.range(of: Data("NEEDLE".utf8)) == nil)
        let mode = try FileManager.default.attributesOfItem(atPath: keychain.directory + "/keychain/refusals")[
            .posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    private struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The groups that can still be read afterwards, newest first; `n` is added after the damage.
        let left: [String]
        let change: @Sendable (inout Data, _ starts: [Int]) -> Void
    }

    private static let damages = [
        Damage(testDescription: "the last record cut short", left: ["n", "b", "a"]) { bytes, starts in
            bytes = bytes.prefix(starts[2] + 9)
        },
        Damage(testDescription: "the last length cut short", left: ["n", "b", "a"]) { bytes, starts in
            bytes = bytes.prefix(starts[2] + 2)
        },
        Damage(testDescription: "the length in the middle too large", left: ["n", "c", "a"]) { bytes, starts in
            bytes[starts[1] + 3] = 0x7F
        },
        Damage(testDescription: "the length in the middle too small", left: ["n", "c", "a"]) { bytes, starts in
            bytes[starts[1]] = 1
            bytes[starts[1] + 1] = 0
        },
        Damage(testDescription: "the record in the middle of noise", left: ["n", "c", "a"]) { bytes, starts in
            bytes.replaceSubrange(starts[1]..<starts[2], with: Data(repeating: 0xFF, count: starts[2] - starts[1]))
        },
        Damage(testDescription: "an empty file", left: ["n"]) { bytes, _ in bytes = Data() },
        Damage(testDescription: "a file of noise", left: ["n"]) { bytes, _ in bytes = Data(repeating: 0x30, count: 3000)
        },
    ]

    @Test("a damaged record harms itself alone", arguments: damages)
    private func damage(_ damage: Damage) throws {
        let keychain = try TestKeychain()
        let url = URL(fileURLWithPath: keychain.directory + "/keychain/refusals")
        var starts: [Int] = []
        for group in ["a", "b", "c"] {
            starts.append((try? Data(contentsOf: url).count) ?? 0)
            refuse(keychain, group)
        }
        var bytes = try Data(contentsOf: url)
        damage.change(&bytes, starts)
        try bytes.write(to: url)
        refuse(keychain, "n")
        #expect(keychain.refusals().map(\.accessGroup) == damage.left)
    }

    @Test("a journal that cannot be written fails no call")
    func unwritable() throws {
        let keychain = try TestKeychain()
        try FileManager.default.createDirectory(
            atPath: keychain.directory + "/keychain/refusals", withIntermediateDirectories: false)
        refuse(keychain, "foreign")
        #expect(keychain.add("a", "1") == .success)
        #expect(keychain.refusals().isEmpty)
    }

    @Test("the file stays bounded, and the newest records stay")
    func rotation() throws {
        let keychain = try TestKeychain()
        for number in 0..<4000 { refuse(keychain, "group \(number)") }
        let size = try Data(contentsOf: URL(fileURLWithPath: keychain.directory + "/keychain/refusals")).count
        #expect(size <= 520 << 10)
        let groups = keychain.refusals(100_000).map(\.accessGroup)
        #expect(groups.count > 500)
        #expect(groups == (0..<4000).suffix(groups.count).reversed().map { "group \($0)" })
    }

    /// Longer than any record, in characters of several bytes, so that a cut could fall into one.
    private static let long = "/" + String(repeating: "ü鍵", count: 2000)

    @Test("a refusal of a program with a long path is remembered with the beginning of each text")
    func longTexts() throws {
        let keychain = try TestKeychain()
        let caller = Caller(
            name: Self.long, accessGroups: ["m"], application: "A" + Self.long, level: .b)
        let reply = keychain.perform(.find, ["agrp": .string("g" + Self.long)], caller: caller)
        #expect(reply.code == .missingEntitlement)
        let record = try #require(keychain.refusals().first)
        for text in [record.caller, record.application ?? "", record.accessGroup, record.refusal.reason] {
            #expect(text.hasSuffix("…") && !text.contains("\u{FFFD}"))
        }
        #expect(Self.long.hasPrefix(record.caller.dropLast()) && record.caller.utf8.count > 1000)
        #expect(("g" + Self.long).hasPrefix(record.accessGroup.dropLast()))
        #expect(record.refusal.rule == .foreignAccessGroup)
        // The log names the group that was asked for, not the program's own.
        let entry = try #require(try AuditReader(directory: keychain.directory + "/keychain").tail(1).first)
        #expect(entry.event.accessGroup == record.accessGroup)
    }

    @Test("the owner's access is on record for a program with a long path")
    func longOwnerAccess() throws {
        let keychain = try TestKeychain()
        let passcode = SecretBox(copying: Array("1234".utf8))
        let owner = Caller(name: Self.long, accessGroups: ["tool"])
        guard (try? keychain.service.ask(SetPasscode(passcode), caller: owner)) != nil else {
            Issue.record("no passcode")
            return
        }
        keychain.add("a", "1")
        let request = ItemRequest(
            operation: .find, query: [QueryPair("class", .string("genp"))], wantsResult: false,
            owner: OwnerAuthority(accessGroup: "g", passcode: passcode))
        #expect(keychain.service.perform(request, caller: owner).code == .success)
        let record = try #require(keychain.refusals().first)
        #expect(record.refusal.rule == .ownerAccess && record.accessGroup == "g")
        #expect(record.caller.hasSuffix("…") && Self.long.hasPrefix(record.caller.dropLast()))
    }
}
