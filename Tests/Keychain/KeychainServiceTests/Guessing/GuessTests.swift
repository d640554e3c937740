import Foundation
import GRDB
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// An attacker who has the files of a device, and not its passcode, cannot test guesses of what it keeps.
@Suite struct GuessTests {
    private static let classes = ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"]

    private static let words = GuessAttack.Words(
        accounts: classes + ["root", "anna", "login"], services: ["", "s", "format", "fixture"],
        secrets: (classes + ["root"]).map { "secret of " + $0 } + ["123456", "hunter2"])

    /// The device of format 6 has one that ended, too: its key was destroyed with the passcode.
    @Test("no secret of an older device can be recognised after it was opened", arguments: [1, 2, 3, 4, 6])
    func fixtures(_ format: Int) throws {
        let directory = try RowBindingTests.copy(ofFormat: format)
        let before = try GuessAttack(directory.path).guess(Self.words)
        let locked = before.hits.filter { ["ak", "ck", "aku", "cku", "akpu"].contains($0.account) }
        #expect(locked.count >= 5, "the attack works on the file as it was written")
        let keychain = try TestKeychain(directory.path)
        let attack = try GuessAttack(directory.path)
        let after = try attack.guess(Self.words)
        #expect(after.accounts == before.accounts, "the attacker still has the right key")
        #expect(after.hits.isEmpty)
        #expect(try attack.files(with: before.hits.map(\.token)) == [])
        withExtendedLifetime(keychain) {}
    }

    @Test("no secret of a device can be recognised, not of an item that ended either, and in no byte of its files")
    func today() throws {
        let keychain = try TestKeychain()
        func ask(_ question: some ForwardedQuestion) throws {
            try keychain.service.ask(question, caller: TestKeychain.caller)
        }
        try ask(SetPasscode(secret("1234")))
        for name in Self.classes {
            #expect(keychain.add(name, "secret of " + name, ["pdmn": .string(name)]) == .success)
        }
        #expect(keychain.perform(.update, ["acct": .string("ck")], secret: "hunter2").code == .success)
        // Computed while every row is there, the one that ends included.
        let digests = try GuessAttack.read(keychain.directory) { db in
            try Row.fetchAll(db, sql: "SELECT * FROM genp").flatMap { row in
                try Self.classes.flatMap { account in
                    try Self.words.secrets.map { try GuessAttack.digest(row, account, "s", $0) }
                }
            }
        }
        try ask(RemovePasscode(secret("1234")))
        try ask(SetPasscode(secret("1234")))
        try ask(LockDevice(immediately: true))
        #expect(keychain.ended == [.passcodeRemoved: 1])
        let attack = try GuessAttack(keychain.directory)
        let guessed = try attack.guess(Self.words)
        #expect(guessed.accounts == Set(Self.classes), "accounts have tokens")
        #expect(guessed.hits.isEmpty)
        let values = digests.flatMap { [Data($0), attack.token("genp", "sha1", $0)] }
        #expect(try attack.files(with: values) == [])
        let comment = attack.token("genp", "icmt", Array("a note".utf8))
        try ask(UnlockDevice(secret("1234")))
        #expect(keychain.add("note", "1", ["icmt": .string("a note")]) == .success)
        #expect(try attack.files(with: [comment]) == [])
    }

    @Test("two items that differ in the secret alone have the same tokens, in every class")
    func equalTokens() throws {
        let queries: [[String: PropertyValue]] = [
            [
                "acct": .string("a"), "svce": .string("s"), "labl": .string("l"), "gena": .data([1]),
                "icmt": .string("c"),
            ],
            ["class": .string("inet"), "acct": .string("a"), "srvr": .string("s"), "icmt": .string("c")],
            ["class": .string("cert"), "issr": .data([1]), "slnr": .data([2]), "ctyp": .integer(3)],
            ["class": .string("keys"), "atag": .string("t"), "kcls": .integer(2), "type": .integer(2_147_483_649)],
        ]
        for query in queries {
            // On two devices with one search key the values would be the same bytes. Here one device has both, in turn.
            let keychain = try TestKeychain()
            var rows: [[String: DatabaseValue]] = []
            for text in ["1", "another secret"] {
                let reply = keychain.perform(.add, query, secret: text)
                #expect(reply.code == .success, "\(String(describing: reply.refusal))")
                guard case .string(let table) = query["class"] ?? .string("genp") else { continue }
                let row = try keychain.raw { try Row.fetchOne($0, sql: "SELECT * FROM \(table)") }
                rows.append(
                    try #require(row).reduce(into: [:]) { columns, value in
                        if value.0.hasPrefix("t_") || value.0 == "pk" { columns[value.0] = value.1 }
                    })
                #expect(keychain.perform(.delete, query).code == .success)
            }
            #expect(rows.count == 2 && rows[0] == rows[1])
            #expect(rows[0].values.contains { !$0.isNull })
        }
    }
}
