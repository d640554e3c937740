import Foundation
import GRDB
import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// The digest of an item with conditions: formats before 9 sealed it under the class key alone, which opens without what
/// the conditions ask for.
@Suite struct FormerDigestTests {
    private static let passcode = "1234"

    private static func question(in session: ServiceSession, _ keychain: TestKeychain) throws {
        try keychain.service.ask(
            SetContextPassword(SecretBox(copying: Array("word".utf8))), caller: TestKeychain.caller, session: session)
    }

    private static func perform(
        _ operation: ItemOperation, _ query: [String: PropertyValue], _ keychain: TestKeychain
    ) throws -> ItemReply {
        let session = ServiceSession(service: keychain.service)
        try question(in: session, keychain)
        var query = query
        query["class"] = .string("genp")
        return keychain.service.perform(
            ItemRequest(
                operation: operation, query: query.map { QueryPair($0.key, $0.value) }, wantsResult: true,
                secrets: operation == .add ? [SecretBox(copying: Array("1234".utf8))] : [], interaction: Interaction()),
            caller: TestKeychain.caller, session: session)
    }

    /// Adds an item with an application password and returns its digest, which needs the password.
    private static func store(_ keychain: TestKeychain) throws -> PropertyValue {
        let control = try AccessControl(protection: .whenUnlocked, flags: .applicationPassword).serialised
        let added = try perform(
            .add,
            [
                "acct": .string("a"), "svce": .string("s"), "v_Data": .secret(0),
                "accc": .reference(kind: "SecAccessControl", bytes: control),
            ], keychain)
        #expect(added.code == .success, "\(String(describing: added.refusal))")
        return try digest(keychain)
    }

    private static func digest(_ keychain: TestKeychain) throws -> PropertyValue {
        let found = try perform(.find, ["acct": .string("a"), "r_Attributes": .boolean(true)], keychain)
        guard case .dictionary(let attributes)? = found.result else { throw Unexpected() }
        return try #require(attributes["sha1"])
    }

    /// The row as an attacker opens it who has the class key, and not the application password.
    private struct SealedRow {
        let key: SecretBox

        private func associatedData(_ row: Row) -> [UInt8] {
            func bytes(_ column: String) -> [UInt8] { Array(row[column] as Data) }
            func number(_ column: String) -> [UInt8] {
                withUnsafeBytes(of: (row[column] as Int64).bigEndian) { Array($0) }
            }
            let flags: [UInt8] = [row["pdmn"], row["sync"], row["tomb"]]
            let itemKey = bytes("itemkey")
            let head = Array("bgenp".utf8) + bytes("persistref") + flags
            let dates = number("cdat") + number("mdat")
            let binding: [UInt8] = [row["bound"], 0, UInt8(itemKey.count)]
            return head + dates + bytes("uuid") + binding + itemKey + Array((row["agrp"] as String).utf8)
        }

        func attributes(_ row: Row) throws -> [AttributeName: PropertyValue] {
            let sealed = Array(row["attributes"] as Data)
            let opened = try AESGCM.open(sealed, key: key, associatedData: associatedData(row))
            return try opened.withBytes { try [AttributeName: PropertyValue](der: $0) }
        }

        func seal(_ attributes: [AttributeName: PropertyValue], _ row: Row) -> Data {
            let plaintext = DERWriter.encodeDictionary { add in
                for (name, value) in attributes { add(name.rawValue, value) }
            }
            return Data(
                plaintext.withUnsafeBytes {
                    AESGCM.seal($0, key: key, associatedData: associatedData(row), entropy: SystemEntropy())
                })
        }
    }

    private static let copied =
        "agrp, pdmn, sync, tomb, cdat, mdat, persistref, uuid, attributes, itemkey, secret, bound"
    private static let tables = ["genp", "quarantine", "syncconflicts"]

    /// The digests that the class key alone opens, by table.
    private static func digests(_ keychain: TestKeychain, _ row: SealedRow) throws -> [String: PropertyValue] {
        try keychain.raw { db in
            var found: [String: PropertyValue] = [:]
            for table in tables {
                let stored = try #require(try Row.fetchOne(db, sql: "SELECT * FROM \(table)"))
                let attributes = try row.attributes(stored)
                #expect(attributes[.accessControl] != nil && attributes[.account] == .string("a"))
                found[table] = attributes[.digest]
            }
            return found
        }
    }

    @Test("the class key does not open the digest of an item with conditions, who reads it with its proof has it")
    func sealed() throws {
        let keychain = try TestKeychain()
        let digest = try Self.store(keychain)
        let row = SealedRow(key: try GuessAttack(keychain.directory).metadataKey(ofClass: 6))
        let stored = try #require(try keychain.raw { try Row.fetchOne($0, sql: "SELECT * FROM genp") })
        let attributes = try row.attributes(stored)
        #expect(attributes[.account] == .string("a") && attributes[.digest] == nil)
        #expect(try digest == .data(GuessAttack.digest(stored, "a", "s", "1234")))
    }

    @Test(
        "older rows and their copies lose the digest at the next unlock, and have it again at the next proven reading")
    func removed() throws {
        let directory = try SharedDirectory()
        var keychain = try TestKeychain(directory.path)
        let digest = try Self.store(keychain)
        let row = SealedRow(key: try GuessAttack(directory.path).metadataKey(ofClass: 6))
        // As format 8 had it.
        try keychain.raw { db in
            let stored = try #require(try Row.fetchOne(db, sql: "SELECT * FROM genp"))
            var attributes = try row.attributes(stored)
            attributes[.digest] = digest
            try db.execute(sql: "UPDATE genp SET attributes = ?", arguments: [row.seal(attributes, stored)])
            try db.execute(
                sql: """
                    INSERT INTO quarantine (class, \(Self.copied), reason, moved) SELECT 'genp', \(Self.copied), 'r', 1 FROM genp;
                    INSERT INTO syncconflicts (name, reason, kept, class, \(Self.copied))
                    SELECT zeroblob(16), 1, 1, 'genp', \(Self.copied) FROM genp;
                    INSERT INTO formerdigests VALUES ('genp', 6, \(Int64.max)), ('quarantine', 6, 1), ('syncconflicts', 6, 1)
                    """)
        }
        try keychain.service.ask(SetPasscode(secret(Self.passcode)), caller: TestKeychain.caller)
        keychain = try TestKeychain(directory.path)
        keychain.service.bindOldRows()
        #expect(try Self.digests(keychain, row).values.filter { $0 == digest }.count == 3, "the class is locked")
        try keychain.service.ask(UnlockDevice(secret(Self.passcode)), caller: TestKeychain.caller)
        #expect(try Self.digest(keychain) == digest, "a reading with the proof has it at any time")
        keychain.service.bindOldRows()
        #expect(try Self.digests(keychain, row) == [:])
        #expect(try keychain.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM formerdigests") } == 0)
        #expect(try Self.digest(keychain) == digest)
        #expect(try Self.perform(.find, ["sha1": digest, "r_Data": .boolean(true)], keychain).text == "1234")
        withExtendedLifetime(directory) {}
    }
}
