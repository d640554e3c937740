import Foundation
import GRDB
import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

@Suite("The apps of a device")
struct AppTests {
    private static let day = 24.0 * 60 * 60

    private static func app(
        _ name: String, groups: [String], team: TeamPublicKey? = TeamKeys.one, level: AssuranceLevel = .b,
        digest: UInt8 = 1
    ) -> SeenApplication {
        SeenApplication(
            application: name, team: team?.identifier, level: level, accessGroups: groups,
            digest: [UInt8](repeating: digest, count: 32), path: "/opt/\(name)")
    }

    @Test("a program that was seen is listed, after a restart too")
    func seen() throws {
        let directory = try SharedDirectory()
        let first = try TestKeychain(directory.path)
        let start = first.clock.wallTime()
        let mail = Self.app("TEAM.mail", groups: ["g", "h"])
        let script = Self.app("/usr/bin/script", groups: ["own"], team: nil, level: .c)
        first.service.noteApplication(mail)
        first.service.noteApplication(script)
        first.add("a", "1")
        first.service.close()
        let second = try TestKeychain(directory.path)
        #expect(
            second.applications == [
                RegisteredApplication(seen: script, firstSeen: start, lastSeen: start, itemCount: 0),
                RegisteredApplication(seen: mail, firstSeen: start, lastSeen: start, itemCount: 1),
            ])
    }

    @Test("the file is written for a new program, a changed one, and once a day")
    func writes() throws {
        let directory = try SharedDirectory()
        let keychain = try TestKeychain(directory.path)
        let start = keychain.clock.wallTime()
        func lastSeen() -> Double? { keychain.applications.first.map { $0.lastSeen.seconds - start.seconds } }
        let mail = Self.app("TEAM.mail", groups: ["g"])
        keychain.service.noteApplication(mail)
        #expect(lastSeen() == 0)
        keychain.clock.advance(by: Self.day - 1)
        keychain.service.noteApplication(mail)
        #expect(lastSeen() == 0)
        keychain.clock.advance(by: 1)
        keychain.service.noteApplication(mail)
        #expect(lastSeen() == Self.day)
        keychain.clock.advance(by: 1)
        keychain.service.noteApplication(Self.app("TEAM.mail", groups: ["g"], digest: 2))
        #expect(lastSeen() == Self.day + 1)
        keychain.clock.advance(by: 1)
        keychain.service.noteApplication(Self.app("TEAM.mail", groups: ["g", "h"], digest: 2))
        #expect(lastSeen() == Self.day + 2)
        #expect(keychain.applications.map(\.firstSeen) == [start])
        #expect(keychain.applications.map(\.seen.accessGroups) == [["g", "h"]])
        // A clock that was set back by days is not a reason to keep the old date for ever.
        keychain.clock.setWallTime(start.seconds - 3 * Self.day)
        keychain.service.noteApplication(Self.app("TEAM.mail", groups: ["g", "h"], digest: 2))
        #expect(lastSeen() == -3 * Self.day)
    }

    @Test("a program that was seen within the day is not written by another start either")
    func writesAfterRestart() throws {
        let directory = try SharedDirectory()
        let clock = HandClock()
        let mail = Self.app("TEAM.mail", groups: ["g"])
        let first = try TestKeychain(directory.path, clock: clock)
        first.service.noteApplication(mail)
        first.service.close()
        clock.advance(by: 60)
        let second = try TestKeychain(directory.path, clock: clock)
        second.service.noteApplication(mail)
        #expect(second.applications.map(\.lastSeen) == [clock.wallTime().later(by: -60)])
    }

    @Test("a device that cannot write lets the program in all the same")
    func cannotWrite() throws {
        let directory = try SharedDirectory()
        let keychain = try TestKeychain(directory.path)
        try keychain.raw { try $0.execute(sql: "DROP TABLE apps") }
        keychain.service.noteApplication(Self.app("TEAM.mail", groups: ["g"]))
        #expect(keychain.add("a", "1") == .success)
        #expect(keychain.outcome(ListApplications()) == "database-error")
    }

    /// The apps there are, the one that is forgotten, how, and whose items are left.
    struct Removal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let others: [[String]]
        let forgotten: [String]
        var removesItems: Bool?
        var option = false
        let outcome: String
        let left: Set<String>
    }

    static let removals = [
        Removal(
            testDescription: "items stay unless the owner says otherwise", others: [], forgotten: ["a", "b"],
            outcome: "forgotten 0", left: ["a", "b", "c", "*"]),
        Removal(
            testDescription: "items go where the command says so", others: [], forgotten: ["a", "b"],
            removesItems: true, outcome: "forgotten 2", left: ["c", "*"]),
        Removal(
            testDescription: "items go where the option says so", others: [], forgotten: ["a", "b"], option: true,
            outcome: "forgotten 2", left: ["c", "*"]),
        Removal(
            testDescription: "the command has the last word", others: [], forgotten: ["a"], removesItems: false,
            option: true, outcome: "forgotten 0", left: ["a", "b", "c", "*"]),
        Removal(
            testDescription: "a group that another app has stays", others: [["b", "c"]], forgotten: ["a", "b"],
            removesItems: true, outcome: "forgotten 1", left: ["b", "c", "*"]),
        Removal(
            testDescription: "all groups shared", others: [["b"], ["c", "a"]], forgotten: ["a", "b"],
            removesItems: true, outcome: "forgotten 0", left: ["a", "b", "c", "*"]),
        Removal(
            testDescription: "the token group and the one for all groups belong to no program", others: [],
            forgotten: ["a", "*", "com.apple.token"], removesItems: true, outcome: "forgotten 1",
            left: ["b", "c", "*"]),
        Removal(
            testDescription: "an app that may see all groups keeps none of them", others: [["*"]], forgotten: ["a"],
            removesItems: true, outcome: "forgotten 1", left: ["b", "c", "*"]),
    ]

    @Test("to forget an app removes items only as it should", arguments: removals)
    func removal(_ row: Removal) throws {
        let keychain = try TestKeychain()
        // A row can have the group "*" only by an older or another version, and is not to be touched.
        let groups = ["a", "b", "c", "*"]
        for group in groups.dropLast() {
            let caller = Caller(name: group, accessGroups: [group])
            #expect(keychain.perform(.add, ["acct": .string(group)], secret: "s", caller: caller).code == .success)
        }
        try keychain.raw {
            try $0.execute(sql: "CREATE TEMP TABLE copy AS SELECT * FROM genp LIMIT 1")
            try $0.execute(sql: "UPDATE copy SET agrp = '*', rowid = 1")
            try $0.execute(sql: "INSERT INTO genp SELECT * FROM copy")
        }
        for (index, groups) in row.others.enumerated() {
            keychain.service.noteApplication(Self.app("TEAM.other\(index)", groups: groups))
        }
        keychain.service.noteApplication(Self.app("TEAM.app", groups: row.forgotten))
        if row.option {
            #expect(keychain.outcome(ConfigureApplications(removesItems: true, passcode: nil)) == "done")
        }
        #expect(keychain.forget("TEAM.app", removesItems: row.removesItems) == row.outcome)
        #expect(!keychain.applications.contains { $0.seen.application == "TEAM.app" })
        #expect(keychain.applications.count == row.others.count)
        let left = try keychain.raw { try String.fetchSet($0, sql: "SELECT agrp FROM genp") }
        #expect(left == row.left)
        #expect(keychain.forget("TEAM.app") == "app-not-known")
    }

    @Test("a forgotten program is listed again when it comes again")
    func comesAgain() throws {
        let keychain = try TestKeychain()
        let mail = Self.app("TEAM.mail", groups: ["g"])
        keychain.service.noteApplication(mail)
        #expect(keychain.forget("TEAM.mail") == "forgotten 0")
        #expect(keychain.applications.isEmpty)
        keychain.service.noteApplication(mail)
        #expect(keychain.applications.map(\.seen) == [mail])
    }

    @Test("keys of the enclave end with the items of a forgotten app")
    func enclaveKeys() throws {
        let keychain = try TestKeychain()
        keychain.service.noteApplication(Self.app("TEAM.mail", groups: ["g"]))
        let (theirs, others) = (try keychain.makeKey(), try keychain.makeKey())
        #expect(keychain.store(theirs, ["agrp": .string("g")]).code == .success)
        #expect(keychain.store(others, ["agrp": .string("h")]).code == .success)
        #expect(keychain.forget("TEAM.mail", removesItems: true) == "forgotten 1")
        #expect(keychain.sign(theirs).rule == .enclaveKeyDeleted)
        #expect(keychain.isSigned(keychain.sign(others), by: others))
    }

    @Test("forgetting needs the passcode where one is set, and is on record")
    func passcode() throws {
        let keychain = try TestKeychain()
        keychain.service.noteApplication(Self.app("TEAM.mail", groups: ["g"]))
        keychain.add("a", "1")
        _ = keychain.outcome(SetPasscode(passcodeBox("1234")))
        #expect(keychain.forget("TEAM.mail", removesItems: true) == "passcodeNeeded")
        #expect(keychain.forget("TEAM.mail", removesItems: true, passcode: "0").hasPrefix("wrongPasscode"))
        #expect(keychain.applications.map(\.itemCount) == [1])
        #expect(keychain.forget("TEAM.mail", removesItems: true, passcode: "1234") == "forgotten 1")
        #expect(keychain.secret(of: "a") == .failure(.itemNotFound))
        let record = try #require(keychain.refusals().first)
        #expect(record.refusal.rule == .ownerChange)
        #expect(record.operation == "forget-app")
        #expect(record.accessGroup == "TEAM.mail")
        #expect(record.code == .success)
    }

    @Test("the option outlives a restart, is in the status, and an erase resets it with everything else")
    func option() throws {
        let directory = try SharedDirectory()
        let first = try TestKeychain(directory.path)
        #expect(first.status?.removesItemsOfForgottenApps == false)
        _ = first.outcome(ConfigureApplications(removesItems: true, passcode: nil))
        first.service.noteApplication(Self.app("TEAM.mail", groups: ["g"]))
        first.service.close()
        let second = try TestKeychain(directory.path)
        #expect(second.status?.removesItemsOfForgottenApps == true)
        second.service.noteApplication(Self.app("TEAM.mail", groups: ["g"]))
        #expect(second.outcome(EraseDevice(passcode: nil)) == "done")
        #expect(second.status?.removesItemsOfForgottenApps == false)
        #expect(second.applications.isEmpty)
        second.service.noteApplication(Self.app("TEAM.mail", groups: ["g"]))
        #expect(second.applications.count == 1)
    }

    @Test("when there is no room, unsigned programs give way, the one seen first before the others; signed ones do not")
    func room() throws {
        let keychain = try TestKeychain()
        let limit = RegisteredApplication.listLimit
        keychain.service.noteApplication(Self.app("TEAM.mail", groups: ["g"]))
        try keychain.raw { db in
            try db.execute(sql: "BEGIN")
            for number in 1..<limit {
                try db.execute(
                    sql: "INSERT INTO apps VALUES (?, NULL, 'C', x'3000', x'', '/x', 0, ?)",
                    arguments: ["/bin/\(number)", number])
            }
            try db.execute(sql: "COMMIT")
        }
        keychain.service.noteApplication(Self.app("/bin/new", groups: [], team: nil, level: .c))
        let names = Set(keychain.applications.map(\.seen.application))
        #expect(names.count == limit)
        #expect(names.isSuperset(of: ["TEAM.mail", "/bin/new", "/bin/2"]))
        #expect(!names.contains("/bin/1"))
        try keychain.raw { try $0.execute(sql: "UPDATE apps SET team = 'EIF5MUDOJM'") }
        keychain.service.noteApplication(Self.app("TEAM.late", groups: ["g"]))
        #expect(keychain.applications.count == limit)
        #expect(!keychain.applications.contains { $0.seen.application == "TEAM.late" })
    }
}
