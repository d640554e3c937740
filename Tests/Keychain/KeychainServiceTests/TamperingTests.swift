import Foundation
import GRDB
import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// An attacker writes to the database file: a row that was touched is never answered, never destroyed, and harms
/// nothing else.
@Suite struct TamperingTests {
    private struct Tampering: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Changes items a, b or both, whose row numbers are written as $1 and $2.
        let sql: String
        /// The items that must no longer be answered.
        var harmed: Set<String> = ["a"]

        func apply(to keychain: TestKeychain) throws {
            try keychain.raw { db in
                let numbers = try Int64.fetchAll(db, sql: "SELECT rowid FROM genp ORDER BY rowid")
                try db.execute(
                    sql: sql.replacing("$1", with: "\(numbers[0])").replacing("$2", with: "\(numbers[1])"))
            }
        }
    }

    private static func swap(_ column: String) -> String {
        """
        CREATE TEMP TABLE other AS SELECT rowid AS number, \(column) AS value FROM genp WHERE rowid IN ($1, $2);
        UPDATE genp SET \(column) = (SELECT value FROM other WHERE number = $1 + $2 - genp.rowid)
        WHERE rowid IN ($1, $2);
        """
    }

    private static let tamperings = [
        Tampering(testDescription: "attributes of two rows swapped", sql: swap("attributes"), harmed: ["a", "b"]),
        Tampering(testDescription: "secrets of two rows swapped", sql: swap("secret"), harmed: ["a", "b"]),
        Tampering(testDescription: "item keys of two rows swapped", sql: swap("itemkey"), harmed: ["a", "b"]),
        Tampering(
            testDescription: "secrets and item keys of two rows swapped",
            sql: swap("secret") + swap("itemkey").replacing("other", with: "more"),
            harmed: ["a", "b"]),
        Tampering(
            testDescription: "everything encrypted of two rows swapped",
            sql: swap("secret") + swap("itemkey").replacing("other", with: "more")
                + swap("attributes").replacing("other", with: "third"),
            harmed: ["a", "b"]),
        Tampering(testDescription: "search tokens of two rows swapped", sql: swap("t_acct"), harmed: ["a", "b"]),
        Tampering(testDescription: "a row moved to another group", sql: "UPDATE genp SET agrp = 'h' WHERE rowid = $1"),
        Tampering(
            testDescription: "a row given another protection class", sql: "UPDATE genp SET pdmn = 7 WHERE rowid = $1"),
        Tampering(testDescription: "a row made synchronizable", sql: "UPDATE genp SET sync = 1 WHERE rowid = $1"),
        Tampering(testDescription: "a creation date changed", sql: "UPDATE genp SET cdat = cdat - 1 WHERE rowid = $1"),
        Tampering(
            testDescription: "a modification date changed", sql: "UPDATE genp SET mdat = mdat + 1 WHERE rowid = $1"),
        Tampering(
            testDescription: "a reference changed", sql: "UPDATE genp SET persistref = randomblob(16) WHERE rowid = $1"),
        Tampering(
            testDescription: "a sync identifier changed", sql: "UPDATE genp SET uuid = randomblob(16) WHERE rowid = $1"),
        Tampering(testDescription: "attributes emptied", sql: "UPDATE genp SET attributes = x'' WHERE rowid = $1"),
        Tampering(testDescription: "attributes made text", sql: "UPDATE genp SET attributes = 'text' WHERE rowid = $1"),
        Tampering(
            testDescription: "attributes cut",
            sql: "UPDATE genp SET attributes = substr(attributes, 1, 20) WHERE rowid = $1"),
        Tampering(
            testDescription: "a byte of the attributes changed",
            sql:
                """
                UPDATE genp SET attributes = substr(attributes, 1, 30)
                || CASE substr(attributes, 31, 1) WHEN x'00' THEN x'01' ELSE x'00' END || substr(attributes, 32)
                WHERE rowid = $1
                """),
        Tampering(testDescription: "a secret emptied", sql: "UPDATE genp SET secret = x'' WHERE rowid = $1"),
        Tampering(
            testDescription: "a secret cut", sql: "UPDATE genp SET secret = substr(secret, 1, 15) WHERE rowid = $1"),
        Tampering(testDescription: "an item key emptied", sql: "UPDATE genp SET itemkey = x'' WHERE rowid = $1"),
        Tampering(testDescription: "an item key removed", sql: "UPDATE genp SET itemkey = NULL WHERE rowid = $1"),
        Tampering(
            testDescription: "an item key replaced", sql: "UPDATE genp SET itemkey = randomblob(40) WHERE rowid = $1"),
        Tampering(testDescription: "a secret removed", sql: "UPDATE genp SET secret = NULL WHERE rowid = $1"),
        Tampering(
            testDescription: "a secret and its item key removed",
            sql: "UPDATE genp SET secret = NULL, itemkey = NULL WHERE rowid = $1"),
        Tampering(
            testDescription: "a row given out as one of format 4", sql: "UPDATE genp SET bound = NULL WHERE rowid = $1"),
        Tampering(
            testDescription: "a row given out as one without a secret",
            sql: "UPDATE genp SET bound = 0, secret = NULL WHERE rowid = $1"),
        Tampering(testDescription: "a mark that no version writes", sql: "UPDATE genp SET bound = 9 WHERE rowid = $1"),
        Tampering(
            testDescription: "a protection class that does not exist", sql: "UPDATE genp SET pdmn = 99 WHERE rowid = $1"
        ),
        Tampering(
            testDescription: "a protection class out of range",
            sql: "UPDATE genp SET pdmn = -5000000000 WHERE rowid = $1"),
    ]

    private static let secrets = ["a": "secret of a", "b": "secret of b", "c": "secret of c"]

    private static func keychain() throws -> TestKeychain {
        let keychain = try TestKeychain()
        for name in secrets.keys.sorted() { #expect(keychain.add(name, secrets[name] ?? "") == .success) }
        return keychain
    }

    @Test("a touched row is not found, is kept in quarantine, and the others are unharmed", arguments: tamperings)
    private func find(_ tampering: Tampering) throws {
        let keychain = try Self.keychain()
        try tampering.apply(to: keychain)
        for (name, secret) in Self.secrets {
            let expected: Result<String, LatchkeyItemModel.ResultCode> =
                tampering.harmed.contains(name) ? .failure(.itemNotFound) : .success(secret)
            #expect(keychain.secret(of: name) == expected)
        }
        #expect(keychain.status?.quarantinedRows == Int64(tampering.harmed.count))
        #expect(keychain.status?.itemCounts["genp"] == Int64(3 - tampering.harmed.count))
        // The place is free for a new item of the same name.
        #expect(keychain.add("a", "new") == (tampering.harmed.contains("a") ? .success : .duplicateItem))
    }

    @Test("a search over all rows leaves the touched ones out and keeps the rest", arguments: tamperings)
    private func findAll(_ tampering: Tampering) throws {
        let keychain = try Self.keychain()
        try tampering.apply(to: keychain)
        let reply = keychain.perform(
            .find,
            ["svce": .string("s"), "sync": .string("syna"), "r_Data": .boolean(true), "m_Limit": .string("m_LimitAll")])
        #expect(reply.code == .success)
        // A swapped search token alone cannot show where no search uses it.
        let silent = tampering.testDescription.hasPrefix("search tokens") ? [] : tampering.harmed
        let expected = Self.secrets.filter { !silent.contains($0.key) }.values
        #expect(Set(reply.secrets.map { $0.withBytes { String(decoding: $0, as: UTF8.self) } }) == Set(expected))
    }

    @Test("an update changes the others and treats the touched ones as not there", arguments: tamperings)
    private func update(_ tampering: Tampering) throws {
        let keychain = try Self.keychain()
        try tampering.apply(to: keychain)
        for (name, _) in Self.secrets {
            let reply = keychain.perform(
                .update, ["acct": .string(name), "sync": .string("syna")], changes: ["labl": .string("new")])
            #expect(reply.code == (tampering.harmed.contains(name) ? .itemNotFound : .success))
        }
        #expect(keychain.status?.quarantinedRows == Int64(tampering.harmed.count))
    }

    /// A search token says where a row is looked for, and nothing of its name.
    private static let harmful = tamperings.filter { !$0.testDescription.hasPrefix("search tokens") }

    @Test("an add takes the place of a touched row, which is kept in quarantine", arguments: harmful)
    private func addOver(_ tampering: Tampering) throws {
        let keychain = try Self.keychain()
        try tampering.apply(to: keychain)
        #expect(keychain.add("a", "new") == .success)
        #expect(keychain.add("c", "new") == .duplicateItem)
        #expect(keychain.secret(of: "a") == .success("new"))
        #expect(keychain.secret(of: "c") == .success("secret of c"))
        #expect(keychain.status?.quarantinedRows == 1)
    }

    @Test("an update of the name takes the place of a touched row, which is kept in quarantine", arguments: harmful)
    private func renameOver(_ tampering: Tampering) throws {
        let keychain = try Self.keychain()
        try tampering.apply(to: keychain)
        #expect(keychain.perform(.update, ["acct": .string("c")], changes: ["acct": .string("a")]).code == .success)
        #expect(keychain.secret(of: "a") == .success("secret of c"))
        #expect(keychain.secret(of: "c") == .failure(.itemNotFound))
        #expect(keychain.status?.quarantinedRows == 1)
    }

    @Test("a row that only a person can open keeps its place, touched or not")
    func conditions() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        try stage.keychain.raw { try $0.execute(sql: "UPDATE genp SET secret = x'00'") }
        #expect(try stage.add("a", .userPresence).code == .duplicateItem)
        #expect(stage.quarantined == 0)
        stage.person.will(.match)
        #expect(stage.find("a").code == .itemNotFound)
        #expect(try stage.add("a", .userPresence).code == .success)
    }

    @Test("a row of a class that is locked keeps its place, touched or not")
    func locked() throws {
        let stage = try AuthenticationStage()
        stage.keychain.add("a", "1", ["pdmn": .string("ak")])
        try stage.keychain.raw { try $0.execute(sql: "UPDATE genp SET secret = x'00'") }
        stage.lock()
        #expect(stage.keychain.add("a", "2", ["pdmn": .string("dk")]) == .duplicateItem)
        #expect(stage.quarantined == 0)
    }

    @Test("a delete removes what it names, touched or not")
    func delete() throws {
        let keychain = try Self.keychain()
        try keychain.raw {
            try $0.execute(sql: "UPDATE genp SET attributes = x'00' WHERE rowid = (SELECT min(rowid) FROM genp)")
        }
        #expect(keychain.perform(.delete, ["acct": .string("a")]).code == .success)
        #expect(keychain.secret(of: "b") == .success("secret of b"))
    }

    @Test("a metadata key that was touched closes its class and no other, and nothing is lost")
    func metadataKey() throws {
        let directory = try SharedDirectory()
        do {
            let keychain = try TestKeychain(directory.path)
            keychain.add("a", "1", ["pdmn": .string("ak")])
            keychain.add("d", "4", ["pdmn": .string("ck")])
            try keychain.raw {
                try $0.execute(sql: "UPDATE metadatakeys SET wrapped = randomblob(40) WHERE keyclass = 6")
            }
        }
        let keychain = try TestKeychain(directory.path)
        #expect(keychain.secret(of: "a") != .success("1"))
        #expect(keychain.secret(of: "d") == .success("4"))
        #expect(keychain.add("new", "x", ["pdmn": .string("ak")]) == .decode)
        let kept = try keychain.raw {
            try Int.fetchOne($0, sql: "SELECT (SELECT count(*) FROM genp) + (SELECT count(*) FROM quarantine)")
        }
        #expect(kept == 2)
    }

    /// The columns that an update of secret and label changes in a row, but for tokens.
    private static let changed = ["attributes", "itemkey", "secret", "mdat"]

    private static let parts: [[String]] = (1..<(1 << changed.count) - 1).map { bits in
        changed.indices.filter { bits & 1 << $0 != 0 }.map { changed[$0] }
    }

    @Test("no part of a row's former content opens beside its newer one", arguments: parts)
    func partsOfFormerRows(_ columns: [String]) throws {
        let keychain = try TestKeychain()
        #expect(keychain.add("a", "OLDPASSWORD", ["labl": .string("old")]) == .success)
        try keychain.raw { try $0.execute(sql: "CREATE TABLE kept AS SELECT * FROM genp") }
        keychain.clock.advance(by: 10)
        let update = keychain.perform(
            .update, ["acct": .string("a")], secret: "NEWPASSWORD", changes: ["labl": .string("new")])
        #expect(update.code == .success)
        let list = columns.map { "\($0) = (SELECT \($0) FROM kept)" }.joined(separator: ", ")
        try keychain.raw { try $0.execute(sql: "UPDATE genp SET \(list)") }
        #expect(keychain.secret(of: "a") == .failure(.itemNotFound))
        #expect(keychain.status?.quarantinedRows == 1)
    }
}
