import LatchkeyCodeSignature
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

@Suite("A call that finds nothing says where another build of the program has items")
struct OtherBuildTests {
    private static func build(_ directory: String, _ name: String = "mail", digit: Character) -> Caller {
        Caller(
            name: "/src/.build/\(directory)/\(name)",
            accessGroups: ["unsigned.\(name).\(String(repeating: digit, count: 20))"])
    }

    private static let debug = build("debug", digit: "1")
    private static let release = build("release", digit: "2")

    /// A device of a daemon on which the debug build stored an item.
    private static func keychain(isNoted: Bool = true, isGone: Bool = false) throws -> TestKeychain {
        let keychain = try TestKeychain(kind: "daemon", isFileGone: { isGone && $0 == debug.name })
        if isNoted {
            keychain.service.noteApplication(
                SeenApplication(
                    application: debug.name, team: nil, level: .c, accessGroups: debug.accessGroups, digest: [],
                    path: debug.name))
        }
        #expect(keychain.perform(.add, ["acct": .string("a")], secret: "s", caller: debug).code == .success)
        return keychain
    }

    @Test(
        "find, update and delete of the release build name the debug build and how many items it has",
        arguments: [ItemOperation.find, .update, .delete])
    func named(_ operation: ItemOperation) throws {
        let keychain = try Self.keychain()
        let changes: [String: PropertyValue] = operation == .update ? ["labl": .string("l")] : [:]
        let reply = keychain.perform(operation, ["acct": .string("a")], changes: changes, caller: Self.release)
        #expect(reply.code == .itemNotFound)
        #expect(reply.refusal?.rule == .otherBuildHasItems)
        #expect(reply.refusal?.reason.contains("/src/.build/debug/mail, has one item of its own") == true)
        #expect(keychain.refusals().map(\.refusal.rule) == [.otherBuildHasItems])
        #expect(keychain.refusals().first?.code == .itemNotFound)
    }

    @Test("a build whose file was removed is not advised to be run")
    func removed() throws {
        let refusal = try Self.keychain(isGone: true).perform(.find, ["acct": .string("z")], caller: Self.release)
            .refusal
        #expect(refusal?.rule == .otherBuildHasItems)
        #expect(refusal?.advice.contains("Run that build") == false)
        #expect(refusal?.advice.contains(Self.debug.accessGroups[0]) == true)
    }

    @Test("the answer is the same for an item that the other build has and for one that it has not")
    func tellsNoItem() throws {
        let keychain = try Self.keychain()
        let has = keychain.perform(.find, ["acct": .string("a")], caller: Self.release)
        let hasNot = keychain.perform(.find, ["acct": .string("another")], caller: Self.release)
        #expect(has.refusal == hasNot.refusal)
        #expect(has.code == hasNot.code)
    }

    static let others: [(String, Caller)] = [
        ("a program of another name", build("release", "post", digit: "2")),
        ("one whose name begins so", build("release", "mail.x", digit: "2")),
        ("a signed program", Caller(name: "TEAM.mail", accessGroups: ["TEAM.mail"], application: "TEAM.mail")),
        ("one with the group of a declared caller", Caller(name: "mail", accessGroups: ["mail"])),
        ("the build itself", debug),
    ]

    @Test("it is said to no other program", arguments: others)
    func toNoOther(_ what: String, _ caller: Caller) throws {
        let keychain = try Self.keychain()
        let reply = keychain.perform(.find, ["acct": .string("z")], caller: caller)
        #expect(reply.code == .itemNotFound)
        #expect(reply.refusal == nil)
        #expect(keychain.refusals().isEmpty)
    }

    @Test("a build that the list of apps does not show is not named; nor is one whose items are gone")
    func unknown() throws {
        let unknown = try Self.keychain(isNoted: false)
        #expect(unknown.perform(.find, ["acct": .string("z")], caller: Self.release).refusal == nil)
        let emptied = try Self.keychain()
        #expect(emptied.perform(.delete, ["acct": .string("a")], caller: Self.debug).code == .success)
        #expect(emptied.perform(.find, ["acct": .string("z")], caller: Self.release).refusal == nil)
    }

    @Test("of many programs that find nothing the journal has the first ones of each day, and room for other refusals")
    func manyPrograms() throws {
        let keychain = try Self.keychain()
        func miss(_ number: Int) {
            let digits = String(number)
            let group = "unsigned.mail." + String(repeating: "0", count: 20 - digits.count) + digits
            let reply = keychain.perform(.find, caller: Caller(name: "/\(number)/mail", accessGroups: [group]))
            #expect(reply.refusal?.rule == .otherBuildHasItems)
        }
        for number in 1...70 { miss(number) }
        #expect(keychain.refusals(1000).count == 64)
        keychain.clock.advance(by: 86_400)
        for _ in 1...2 { miss(70) }
        #expect(keychain.refusals(1000).count == 65)
    }

    @Test("a program that looks again and again has the database asked once in a while")
    func oftenAsked() throws {
        let keychain = try Self.keychain()
        func reason() -> String { keychain.perform(.find, caller: Self.release).refusal?.reason ?? "" }
        #expect(reason().contains("has one item of its own"))
        #expect(keychain.perform(.add, ["acct": .string("b")], secret: "s", caller: Self.debug).code == .success)
        #expect(reason().contains("has one item of its own"))
        keychain.clock.advance(by: 5)
        #expect(reason().contains("has 2 items of its own"))
    }

    @Test("what a program finds, or a call that was refused, is as before")
    func asBefore() throws {
        let keychain = try Self.keychain()
        #expect(keychain.perform(.find, ["acct": .string("a")], caller: Self.debug).refusal == nil)
        let foreign = keychain.perform(.find, ["agrp": .string("TEAM.x")], caller: Self.release)
        #expect(foreign.refusal?.rule == .foreignAccessGroup)
    }
}
