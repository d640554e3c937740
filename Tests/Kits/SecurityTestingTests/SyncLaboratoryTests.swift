import Foundation
import Security
import SecurityTesting
import Testing

@Suite("Items that travel between devices")
struct SyncLaboratoryTests {
    private typealias Lab = LaboratoryApps

    @Test("an item of one device is on the other after they settled, with its attributes and dates")
    func addition() throws {
        let test = try Lab()
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        #expect(try test.secret("a", on: "laptop") == nil)
        try test.lab.settle()
        let (one, other) = (
            try #require(try test.attributes("a", on: "phone")), try #require(try test.attributes("a", on: "laptop"))
        )
        #expect(try test.secret("a", on: "laptop") == "one")
        for name in [kSecAttrService, kSecAttrAccessible, kSecAttrAccessGroup] {
            #expect(one[name as String] as? String == other[name as String] as? String)
        }
        #expect(one[kSecAttrModificationDate as String] as? Date == other[kSecAttrModificationDate as String] as? Date)
        #expect(test.lab.alarms == [])
    }

    @Test("changes and deletions reach every device")
    func changes() throws {
        let test = try Lab(["phone", "laptop", "tablet"])
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        #expect(test.update("a", "two", on: "tablet") == errSecSuccess)
        try test.lab.settle()
        for name in test.names { #expect(try test.secret("a", on: name) == "two") }
        #expect(test.delete("a", on: "laptop") == errSecSuccess)
        try test.lab.settle()
        for name in test.names { #expect(try test.secret("a", on: name) == nil) }
        // A deleted version can be brought back.
        #expect(try Set(test.lab.conflicts.map(\.reason)) == [.deleted])
        #expect(test.lab.alarms == [])
    }

    @Test("another account of an item is a deletion and a new item on the other device")
    func renaming() throws {
        let test = try Lab()
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        let status = test.on("laptop") {
            SecItemUpdate(
                [
                    kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a", kSecAttrSynchronizable: true,
                ] as CFDictionary, [kSecAttrAccount: "b"] as CFDictionary)
        }
        #expect(status == errSecSuccess)
        try test.lab.settle()
        #expect(try test.secret("a", on: "phone") == nil)
        #expect(try test.secret("b", on: "phone") == "one")
        #expect(test.lab.alarms == [])
    }

    @Test("a device that was switched off goes on where it was")
    func restart() throws {
        let test = try Lab(["phone", "laptop", "tablet"])
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        #expect(test.update("a", "two", on: "laptop") == errSecSuccess)
        try test.lab["laptop"].stop()
        #expect(test.add("b", "three", on: "phone") == errSecSuccess)
        try test.lab.settle()
        #expect(try test.secret("a", on: "phone") == "one")
        try test.lab["laptop"].start()
        try test.lab.settle()
        // Before its first unlock it has no keys.
        #expect(try test.secret("a", on: "phone") == "one")
        try test.lab["laptop"].unlock(SyncLaboratory.passcode)
        try test.lab.settle()
        for name in test.names {
            #expect(try test.secret("a", on: name) == "two")
            #expect(try test.secret("b", on: name) == "three")
        }
        #expect(test.lab.alarms == [])
    }

    @Test("a new account and a later change of the item travel together")
    func renamingAndChanging() throws {
        let test = try Lab()
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        let status = test.on("laptop") {
            SecItemUpdate(
                [
                    kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a", kSecAttrSynchronizable: true,
                ] as CFDictionary, [kSecAttrAccount: "b"] as CFDictionary)
        }
        #expect(status == errSecSuccess)
        #expect(test.update("b", "two", on: "laptop") == errSecSuccess)
        try test.lab.settle()
        #expect(try test.secret("a", on: "phone") == nil)
        #expect(try test.secret("b", on: "phone") == "two")
    }

    @Test("an empty secret arrives as one")
    func emptySecret() throws {
        let test = try Lab()
        #expect(test.add("a", "", on: "phone") == errSecSuccess)
        try test.lab.settle()
        #expect(try test.secret("a", on: "phone") == "")
        #expect(try test.secret("a", on: "laptop") == "")
        #expect(test.lab.alarms == [])
    }

    @Test("a change after the unlock meets what came before it, and neither is lost")
    func changeAfterUnlock() throws {
        let test = try Lab()
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        try test.lab["laptop"].lock()
        #expect(test.update("a", "of the phone", on: "phone") == errSecSuccess)
        try test.lab.settle()
        try test.lab["laptop"].unlock(SyncLaboratory.passcode)
        try test.lab["laptop"].advance(by: .seconds(5))
        #expect(test.update("a", "of the laptop", on: "laptop") == errSecSuccess)
        try test.lab.settle()
        for name in test.names { #expect(try test.secret("a", on: name) == "of the laptop") }
        #expect(try Set(test.lab.conflicts.map(\.reason)) == [.overruled])
        #expect(test.lab.alarms == [])
    }

    @Test("references-preserved: a persistent reference survives the changes of other devices")
    func reference() throws {
        let test = try Lab()
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        func reference() throws -> Data {
            var result: CFTypeRef?
            let status = test.on("laptop") {
                SecItemCopyMatching(
                    [
                        kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a", kSecAttrSynchronizable: true,
                        kSecReturnPersistentRef: true,
                    ] as CFDictionary, &result)
            }
            #expect(status == errSecSuccess)
            return try #require(result as? Data)
        }
        let before = try reference()
        #expect(test.update("a", "two", on: "phone") == errSecSuccess)
        try test.lab.settle()
        #expect(try test.secret("a", on: "laptop") == "two")
        #expect(try reference() == before)
    }

    @Test("this-device-only-stays: items that may not leave their device, or were not asked to, stay")
    func staying() throws {
        let test = try Lab()
        #expect(test.add("local", "x", on: "phone", synchronizable: false) == errSecSuccess)
        #expect(
            test.add("bound", "x", on: "phone", kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly) == errSecSuccess)
        let unsigned = test.lab["phone"].run {
            SecItemAdd(
                [
                    kSecClass: kSecClassGenericPassword, kSecAttrAccount: "unsigned", kSecAttrSynchronizable: true,
                    kSecValueData: Data("x".utf8),
                ] as CFDictionary, nil)
        }
        #expect(unsigned == errSecSuccess)
        try test.lab.settle()
        for account in ["local", "bound", "unsigned"] { #expect(try test.secret(account, on: "laptop") == nil) }
    }

    @Test("of two changes at the same time the later one wins, and the other is kept")
    func conflict() throws {
        let test = try Lab()
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        test.lab.partition([test.lab["phone"]], [test.lab["laptop"]])
        #expect(test.update("a", "of the phone", on: "phone") == errSecSuccess)
        try test.lab["laptop"].advance(by: .seconds(5))
        #expect(test.update("a", "of the laptop", on: "laptop") == errSecSuccess)
        try test.lab.settle()
        #expect(try test.secret("a", on: "phone") == "of the phone")
        test.lab.heal()
        try test.lab.settle()
        for name in test.names { #expect(try test.secret("a", on: name) == "of the laptop") }
        #expect(try Set(test.lab.conflicts.map(\.reason)) == [.overruled])
        #expect(test.lab.alarms == [])
    }

    @Test("a locked device takes what its lock state allows, and the rest after the unlock")
    func locked() throws {
        let test = try Lab()
        #expect(test.add("gone", "x", on: "phone") == errSecSuccess)
        try test.lab.settle()
        try test.lab["laptop"].lock()
        #expect(test.add("secret", "s", on: "phone") == errSecSuccess)
        #expect(test.add("mail", "m", on: "phone", kSecAttrAccessibleAfterFirstUnlock) == errSecSuccess)
        #expect(test.delete("gone", on: "phone") == errSecSuccess)
        try test.lab.settle()
        #expect(try test.secret("mail", on: "laptop") == "m")
        #expect(try test.secret("secret", on: "laptop") == nil)
        try test.lab["laptop"].unlock(SyncLaboratory.passcode)
        #expect(try test.secret("gone", on: "laptop") == nil)
        try test.lab.settle()
        #expect(try test.secret("secret", on: "laptop") == "s")
        #expect(test.lab.alarms == [])
    }

    @Test("a removed device gets nothing that is written after its removal")
    func removal() throws {
        let test = try Lab(["phone", "laptop", "stolen"])
        #expect(test.add("before", "x", on: "phone") == errSecSuccess)
        try test.lab.settle()
        try test.lab.remove(test.lab["stolen"], by: test.lab["phone"])
        try test.lab.settle()
        #expect(test.add("after", "y", on: "laptop") == errSecSuccess)
        try test.lab.settle()
        #expect(test.lab.members(accordingTo: test.lab["laptop"]) == [test.lab["phone"], test.lab["laptop"]])
        #expect(try test.secret("after", on: "phone") == "y")
        #expect(try test.secret("after", on: "stolen") == nil)
        #expect(try test.secret("before", on: "stolen") == "x")
    }

    @Test("store-is-blind: the store sees no secret, no account and no group")
    func blindStore() throws {
        let test = try Lab()
        #expect(test.add("account-of-a-stranger", "secret-of-a-stranger", on: "phone") == errSecSuccess)
        try test.lab.settle()
        #expect(try test.secret("account-of-a-stranger", on: "laptop") == "secret-of-a-stranger")
        for text in ["account-of-a-stranger", "secret-of-a-stranger", "A1B2C3D4E5", "notes"] {
            #expect(!test.lab.store.capture().contains(text.utf8))
        }
    }

    @Test("a folder on a disk carries the items as well")
    func folder() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let lab = try SyncLaboratory(devices: ["phone", "laptop"], seed: 7, store: .folder(folder))
        let (phone, laptop) = (
            lab["phone"].install("com.example.notes", team: "A1B2C3D4E5"),
            lab["laptop"].install("com.example.notes", team: "A1B2C3D4E5")
        )
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a", kSecAttrSynchronizable: true,
        ]
        #expect(
            phone.run { SecItemAdd(item.merging([kSecValueData: Data("x".utf8)]) { $1 } as CFDictionary, nil) } == 0)
        try lab.settle()
        #expect(laptop.run { SecItemDelete(item as CFDictionary) } == errSecSuccess)
        try lab.settle()
        #expect(phone.run { SecItemCopyMatching(item as CFDictionary, nil) } == errSecItemNotFound)
        #expect(lab.alarms == [])
        let names = FileManager.default.subpaths(atPath: folder.path) ?? []
        #expect(names.contains { $0.contains("/h/") } && names.contains { $0.contains("/a/") })
    }

    @Test("many items arrive, and nothing is exchanged any more at rest")
    func many() throws {
        let test = try Lab()
        for number in 0..<300 { #expect(test.add("\(number)", "secret \(number)", on: "phone") == errSecSuccess) }
        try test.lab.settle()
        for number in 0..<300 { #expect(try test.secret("\(number)", on: "laptop") == "secret \(number)") }
        let stored = test.lab.store.capture().objects.count
        try test.lab.settle()
        #expect(test.lab.store.capture().objects.count == stored)
    }
}
