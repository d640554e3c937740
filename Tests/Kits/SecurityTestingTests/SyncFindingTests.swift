import Foundation
import Security
import SecurityTesting
import Testing

@Suite("Findings about items that travel")
struct SyncFindingTests {
    private func item(_ more: [CFString: Any] = [:]) -> CFDictionary {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "anna", kSecAttrService: "notes",
            kSecAttrSynchronizable: true, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked,
            kSecValueData: Data("x".utf8),
        ].merging(more) { $1 } as CFDictionary
    }

    private func query(_ more: [CFString: Any] = [:]) -> CFDictionary {
        [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "anna"].merging(more) { $1 } as CFDictionary
    }

    @Test("a synchronizable item without a class has a finding of its own")
    func withoutClass() throws {
        let device = try VirtualDevice()
        let item =
            [
                kSecClass: kSecClassGenericPassword, kSecAttrAccount: "anna", kSecAttrSynchronizable: true,
                kSecValueData: Data("x".utf8),
            ] as [CFString: Any]
        device.run { #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess) }
        #expect(device.findings.map(\.kind) == [.synchronizableWithoutClass])
        device.forgetFindings()
        device.run { #expect(SecItemAdd(self.item([kSecAttrAccount: "other"]), nil) == errSecSuccess) }
        #expect(device.findings == [])
    }

    @Test(
        "a synchronizable item that is named after one device",
        arguments: [
            ("deviceID", true), ("com.example.device-id", true), ("DeviceUUID", true), ("UDID", true),
            ("identifierForVendor", true), ("push_token", true), ("fc_uuidForDevice", true), ("loud idea", false),
            ("device", false), ("mail", false), ("idevice", false),
        ])
    func deviceIdentifier(_ name: String, _ isOne: Bool) throws {
        let device = try VirtualDevice()
        device.run {
            #expect(SecItemAdd(item([kSecAttrAccount: name]), nil) == errSecSuccess)
            #expect(SecItemAdd(item([kSecAttrAccount: name, kSecAttrSynchronizable: false]), nil) == errSecSuccess)
        }
        #expect(device.findings.map(\.kind) == (isOne ? [.deviceIdentifierSynchronizable] : []))
    }

    @Test("calls that pass over synchronizable items, and those that do not")
    func overlooked() throws {
        let device = try VirtualDevice()
        device.run {
            #expect(SecItemCopyMatching(query(), nil) == errSecItemNotFound)
            #expect(SecItemAdd(item(), nil) == errSecSuccess)
            for all in [kSecAttrSynchronizableAny, true] as [Any] {
                #expect(SecItemCopyMatching(query([kSecAttrSynchronizable: all]), nil) == errSecSuccess)
            }
            #expect(SecItemCopyMatching(query([kSecAttrSynchronizable: false]), nil) == errSecItemNotFound)
            #expect(SecItemCopyMatching(query([kSecAttrAccount: "otto"]), nil) == errSecItemNotFound)
        }
        #expect(device.findings == [])
        device.run {
            #expect(SecItemCopyMatching(query(), nil) == errSecItemNotFound)
            #expect(SecItemUpdate(query(), [kSecAttrLabel: "x"] as CFDictionary) == errSecItemNotFound)
            #expect(SecItemDelete(query()) == errSecItemNotFound)
        }
        #expect(device.findings.map(\.kind) == Array(repeating: .synchronizableOverlooked, count: 3))
        #expect(device.findings.map(\.call) == [.copyMatching, .update, .delete])
        device.forgetFindings()
        device.run {
            #expect(SecItemAdd(item([kSecAttrSynchronizable: false]), nil) == errSecSuccess)
            // The local one is what is looked for.
            #expect(SecItemCopyMatching(query(), nil) == errSecSuccess)
            #expect(device.findings == [])
            #expect(SecItemCopyMatching(query([kSecMatchLimit: kSecMatchLimitAll]), nil) == errSecSuccess)
            #expect(SecItemDelete(query()) == errSecSuccess)
        }
        #expect(device.findings.map(\.kind) == Array(repeating: .synchronizableOverlooked, count: 2))
    }

    @Test("an app that writes to what another device changed since it was read")
    func assumesUnchanged() throws {
        let test = try LaboratoryApps()
        let laptop = test.lab["laptop"]
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        #expect(try test.secret("a", on: "laptop") == "one")
        // An app knows its own changes.
        #expect(test.update("a", "two", on: "laptop") == errSecSuccess)
        try test.lab.settle()
        #expect(test.update("a", "three", on: "laptop") == errSecSuccess)
        try test.lab.settle()
        #expect(laptop.findings == [])

        #expect(test.update("a", "of the phone", on: "phone") == errSecSuccess)
        try test.lab.settle()
        test.on("laptop") { #expect(SecItemUpdate(test.query("a"), Self.value("four")) == errSecSuccess) }
        #expect(laptop.findings.map(\.kind) == [.assumesItemUnchanged])
        #expect(laptop.findings.first?.call == .update)
        // The app knows what it wrote.
        #expect(test.update("a", "five", on: "laptop") == errSecSuccess)
        #expect(laptop.findings.count == 1)
        laptop.forgetFindings()
        try test.lab.settle()

        #expect(test.update("a", "of the phone again", on: "phone") == errSecSuccess)
        try test.lab.settle()
        #expect(try test.secret("a", on: "laptop") == "of the phone again")
        #expect(test.update("a", "six", on: "laptop") == errSecSuccess)
        #expect(laptop.findings == [])
    }

    @Test("an app that never read the item may overwrite it")
    func blindWrite() throws {
        let test = try LaboratoryApps()
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        #expect(test.update("a", "two", on: "laptop") == errSecSuccess)
        #expect(test.lab["laptop"].findings == [])
    }

    private static func value(_ text: String) -> CFDictionary {
        [kSecValueData: Data(text.utf8)] as CFDictionary
    }
}
