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

/// Rows of the formats before 5, whose attributes are not bound to their secrets.
@Suite struct RowBindingTests {
    static let caller = Caller(name: "fixture", accessGroups: ["fixture"])
    private static let classes = ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"]

    /// A copy of the files of the device of a format. Git keeps no modes.
    static func copy(ofFormat format: Int) throws -> SharedDirectory {
        let directory = try SharedDirectory()
        let fixture = PackageFolder.file("Fixtures/Formats/\(format)/device").path
        for name in ["enclave", "keychain"] {
            try FileManager.default.copyItem(atPath: fixture + "/" + name, toPath: directory.path + "/" + name)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o700], ofItemAtPath: directory.path + "/" + name)
            for file in try FileManager.default.contentsOfDirectory(atPath: directory.path + "/" + name) {
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600], ofItemAtPath: "\(directory.path)/\(name)/\(file)")
            }
        }
        return directory
    }

    /// A copy of the device of a format, locked as after a start.
    func device(_ format: Int) throws -> (TestKeychain, SharedDirectory) {
        let directory = try Self.copy(ofFormat: format)
        return (try TestKeychain(directory.path), directory)
    }

    func unlock(_ keychain: TestKeychain, _ format: Int) throws {
        let passcode = SecretBox(copying: Array("fixture \(format)".utf8))
        guard (try? keychain.service.ask(UnlockDevice(passcode), caller: Self.caller)) != nil else {
            throw POSIXError(.EACCES)
        }
    }

    private func secret(_ account: String, _ keychain: TestKeychain) -> String? {
        let reply = keychain.perform(.find, ["acct": .string(account), "r_Data": .boolean(true)], caller: Self.caller)
        return reply.secrets.first?.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// The protection classes of the rows that are not bound, over all tables.
    func unbound(_ keychain: TestKeychain) throws -> Set<Int> {
        try keychain.raw { db in
            try ["genp", "inet", "cert", "keys"].reduce(into: []) { found, table in
                found.formUnion(try Int.fetchAll(db, sql: "SELECT pdmn FROM \(table) WHERE bound IS NULL"))
            }
        }
    }

    @Test("rows of an older format are bound as soon as their class is open, and no secret changes", arguments: 1...4)
    func migration(_ format: Int) throws {
        let (keychain, directory) = try device(format)
        keychain.service.bindOldRows()
        // 8 and 11: the classes that are always open.
        let locked = try unbound(keychain)
        #expect(locked.isDisjoint(with: [8, 11]) && locked.isSuperset(of: [6, 7, 9, 10, 12]))
        #expect(secret("dk", keychain) == "secret of dk" && secret("ak", keychain) == nil)
        try unlock(keychain, format)
        keychain.service.bindOldRows()
        #expect(try unbound(keychain).isEmpty)
        for name in Self.classes { #expect(secret(name, keychain) == "secret of \(name)") }
        #expect(keychain.status?.quarantinedRows == 0)
        withExtendedLifetime(directory) {}
    }

    @Test("what is bound from an older format keeps an older secret out, too")
    func mixing() throws {
        let (keychain, directory) = try device(4)
        try unlock(keychain, 4)
        keychain.service.bindOldRows()
        try keychain.raw { try $0.execute(sql: "CREATE TABLE kept AS SELECT * FROM genp WHERE tomb = 0") }
        let update = keychain.perform(.update, ["acct": .string("ak")], secret: "new", caller: Self.caller)
        #expect(update.code == .success)
        try keychain.raw {
            try $0.execute(
                sql: """
                    UPDATE genp SET itemkey = kept.itemkey, secret = kept.secret FROM kept
                    WHERE kept.persistref = genp.persistref AND genp.pdmn = 6
                    """)
        }
        #expect(secret("ak", keychain) == nil)
        #expect(secret("ck", keychain) == "secret of ck")
        #expect(keychain.status?.quarantinedRows == 1)
        withExtendedLifetime(directory) {}
    }

    @Test("a row that does not open is left where it is, for the search that meets it")
    func damaged() throws {
        let (keychain, directory) = try device(4)
        keychain.service.bindOldRows()
        try keychain.raw { try $0.execute(sql: "UPDATE genp SET attributes = x'00' WHERE pdmn = 7") }
        try unlock(keychain, 4)
        keychain.service.bindOldRows()
        #expect(try unbound(keychain) == [7])
        #expect(secret("ck", keychain) == nil && secret("ak", keychain) == "secret of ak")
        #expect(keychain.status?.quarantinedRows == 1)
        #expect(try unbound(keychain).isEmpty)
        withExtendedLifetime(directory) {}
    }
}
