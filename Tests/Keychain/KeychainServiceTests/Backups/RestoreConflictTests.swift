import Foundation
import GRDB
import LatchkeyAccessControl
import LatchkeyBackupItems
import LatchkeyCryptoSuite
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@testable import LatchkeyKeychainService

/// Restores onto rows that are there already.
@Suite("Restores over what is there")
struct RestoreConflictTests {
    private static let passcode = SecretBox(copying: Array("1234".utf8))

    private static func backedUp(_ keychain: TestKeychain) throws -> (items: [SealedItem], keybag: [UInt8]) {
        let caller = BackupCallTests.caller(1)
        let grant = try keychain.service.ask(BeginBackup(.encrypted, passcode: passcode), caller: caller)
        var items: [SealedItem] = []
        var place: ItemPlace?
        repeat {
            let page = try keychain.service.ask(BackUpItems(grant.token, after: place), caller: caller)
            items += page.items
            place = page.next
        } while place != nil
        return (items, grant.keybag)
    }

    private static func restore(
        _ items: [SealedItem], _ keybag: [UInt8], _ policy: RestorePolicy, _ keychain: TestKeychain,
        isDryRun: Bool = false
    ) throws -> [RestoredItems.Outcome] {
        let caller = BackupCallTests.caller(1)
        let grant = try keychain.service.ask(
            BeginRestore(
                keybag: keybag, passwordKey: BackupCallTests.password.key, policy: policy, passcode: passcode),
            caller: caller)
        return try keychain.service.ask(RestoreItems(grant.token, isDryRun: isDryRun, items), caller: caller).outcomes
    }

    @Test("a row that cannot be decoded goes to quarantine, by every policy", arguments: RestorePolicy.allCases)
    func undecodable(_ policy: RestorePolicy) throws {
        let keychain = try BackupCallTests.keychain()
        #expect(keychain.add("a", "secret") == .success)
        let (items, keybag) = try Self.backedUp(keychain)
        try keychain.raw { try $0.execute(sql: "UPDATE genp SET attributes = zeroblob(length(attributes))") }
        #expect(try Self.restore(items, keybag, policy, keychain, isDryRun: true) == [.restored])
        #expect(keychain.status?.quarantinedRows == 0)
        #expect(try Self.restore(items, keybag, policy, keychain) == [.restored])
        #expect(keychain.status?.quarantinedRows == 1)
        #expect(keychain.secret(of: "a") == .success("secret"))
    }

    @Test("a restore in place of all spares the groups of the system's circle")
    func systemGroups() throws {
        let keychain = try BackupCallTests.keychain()
        let kept = [
            "com.apple.security.sos", "com.apple.security.sos-usercredential", "com.apple.security.ckks",
            "com.apple.security.egoIdentities", "com.apple.security.octagon", "lockdown-identities",
        ]
        let system = Caller(name: "system", accessGroups: kept + ["g"])
        func add(_ account: String, _ group: String) {
            let added = keychain.perform(
                .add, ["acct": .string(account), "svce": .string("s"), "agrp": .string(group)], secret: account,
                caller: system)
            #expect(added.code == .success, "\(group)")
        }
        func has(_ account: String, _ group: String) -> Bool {
            keychain.perform(
                .find, ["acct": .string(account), "agrp": .string(group)], caller: system
            ).code == .success
        }
        add("then", "g")
        let (items, keybag) = try Self.backedUp(keychain)
        #expect(items.count == 1)
        add("later", "g")
        for group in kept { add("later", group) }
        #expect(try Self.restore(items, keybag, .replace, keychain) == [.restored])
        #expect(has("then", "g") && !has("later", "g"))
        for group in kept { #expect(has("later", group), "\(group)") }
        #expect(ItemVerdict.groupsKeptAtRestore == Set(kept))
    }
}
