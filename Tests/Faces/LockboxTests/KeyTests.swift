import Foundation
import LatchkeyTestSupport
import Lockbox
import Security
import SecurityTesting
import Testing

@Suite("Keys of a lockbox")
struct KeyTests {
    @Test("are listed, found and removed", arguments: VirtualDevice.Backend.allCases)
    func life(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        try device.run {
            let box = try ValueTests.box()
            let other = try ValueTests.box("com.example.mail.other")
            #expect(try box.allKeys == [])
            #expect(try box.removeValue(for: "a") == false)
            try box.removeAll()
            for key in ["b", "a", "c/d", "Ä"] { try box.set(key, for: key) }
            try other.set("x", for: "a")
            #expect(try box.allKeys == ["a", "b", "c/d", "Ä"])
            #expect(try box.containsValue(for: "a"))
            #expect(try box.removeValue(for: "a"))
            #expect(try !box.containsValue(for: "a"))
            #expect(try box.string(for: "a") == nil)
            #expect(try other.string(for: "a") == "x")
            try box.removeAll()
            #expect(try box.allKeys == [])
            #expect(try other.allKeys == ["a"])
        }
        device.close()
    }

    @Test("of items that no lockbox has stored are neither listed nor removed with the others")
    func others() throws {
        let device = try VirtualDevice()
        try device.run {
            let item: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.mail", kSecAttrAccount: "old",
                kSecValueData: Data("secret".utf8),
            ]
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            let box = try ValueTests.box()
            try box.set(1, for: "new")
            #expect(try box.allKeys == ["new"])
            try box.removeAll()
            #expect(try box.string(for: "old") == "secret")
            // A value that is set over it makes it the box's.
            try box.set("taken", for: "old")
            #expect(try box.allKeys == ["old"])
            #expect(try box.string(for: "old") == "taken")
            #expect(try box.removeValue(for: "old"))
        }
    }

    @Test("must have a character, and boxes an identifier")
    func empty() throws {
        let device = try VirtualDevice()
        try device.run {
            let box = try ValueTests.box()
            #expect(throws: LockboxError.emptyKey) { try box.set("x", for: "") }
            #expect(throws: LockboxError.emptyKey) { try box.string(for: "") }
            #expect(throws: LockboxError.emptyKey) { try box.removeValue(for: "") }
            #expect(throws: LockboxError.emptyKey) { try box.containsValue(for: "") }
            #expect(throws: LockboxError.noIdentifier) { try ValueTests.box("") }
            if Bundle.main.bundleIdentifier == nil {
                #expect(throws: LockboxError.noIdentifier) { try Lockbox(protection: .whenUnlocked) }
            }
        }
    }

    @Test("of a group are for all programs that have it, and for no other")
    func groups() throws {
        let device = try VirtualDevice()
        let group = "A1B2C3D4E5.shared"
        let mail = device.install(
            "com.example.mail", team: "A1B2C3D4E5", keychainAccessGroups: ["A1B2C3D4E5.com.example.mail", group])
        let reader = device.install("com.example.reader", team: "A1B2C3D4E5", keychainAccessGroups: [group])
        let stranger = device.install("com.example.stranger", team: "A1B2C3D4E5")
        let shared = try Lockbox(identifier: "com.example.mail", protection: .afterFirstUnlock, accessGroup: group)
        // A box without a group is for one program.
        func ownBox() throws -> Lockbox { try Lockbox(identifier: "com.example.mail", protection: .afterFirstUnlock) }
        try mail.run {
            let own = try ownBox()
            try shared.set("for both", for: "k")
            try own.set("for mail", for: "mine")
        }
        try reader.run { () throws in
            let own = try ownBox()
            #expect(try shared.string(for: "k") == "for both")
            #expect(try own.string(for: "k") == "for both")
            #expect(try own.string(for: "mine") == nil)
        }
        try stranger.run { () throws in
            #expect(throws: LockboxError.missingEntitlement) { try shared.string(for: "k") }
            #expect(throws: LockboxError.missingEntitlement) { try shared.set("x", for: "k") }
            #expect(throws: LockboxError.missingEntitlement) { try shared.removeValue(for: "k") }
            #expect(throws: LockboxError.missingEntitlement) { try shared.allKeys }
            #expect(try ownBox().string(for: "k") == nil)
        }
        let unsigned = device.install("com.example.unsigned", entitlements: Entitlements())
        try unsigned.run {
            let own = try ownBox()
            #expect(throws: LockboxError.missingEntitlement) { try own.set("x", for: "k") }
            #expect(throws: LockboxError.missingEntitlement) { try own.removeAll() }
        }
    }

    @Test("of a box without a group are in the program's first group alone", arguments: VirtualDevice.Backend.allCases)
    func ownGroup(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        let group = "A1B2C3D4E5.shared"
        let home = "A1B2C3D4E5.com.example.mail"
        let mail = device.install("com.example.mail", team: "A1B2C3D4E5", keychainAccessGroups: [home, group])
        let other = device.install("com.example.reader", team: "A1B2C3D4E5", keychainAccessGroups: [group])
        func box(_ group: String? = nil) throws -> Lockbox {
            try Lockbox(identifier: "com.example.mail", protection: .whenUnlockedThisDeviceOnly, accessGroup: group)
        }
        // The box does not read, fill or remove the items that another program of the shared group has put there.
        try other.run {
            try box(group).set("planted", for: "token")
            try box(group).set("planted", for: "more")
        }
        try mail.run {
            let own = try box()
            let shared = try box(group)
            #expect(try own.string(for: "token") == nil)
            #expect(try own.containsValue(for: "token") == false)
            #expect(try own.removeValue(for: "token") == false)
            #expect(try own.allKeys == [])
            try own.set("secret", for: "token")
            #expect(try own.string(for: "token") == "secret")
            #expect(try shared.string(for: "token") == "planted")
            try own.set("secret 2", for: "token")
            try shared.set("for both", for: "more")
            #expect(try own.allKeys == ["token"])
            #expect(try shared.allKeys == ["more", "token"])
            #expect(try shared.string(for: "token") == "planted")
            // Boxes that were made alike hold the same values.
            #expect(try box(home).string(for: "token") == "secret 2")
            #expect(try box().string(for: "token") == "secret 2")
            #expect(try own.removeValue(for: "token"))
            #expect(try shared.containsValue(for: "token"))
            try own.set("secret 3", for: "token")
            try own.removeAll()
            #expect(try own.allKeys == [])
            #expect(try shared.allKeys == ["more", "token"])
        }
        try other.run { () throws in #expect(try box().string(for: "more") == "for both") }
        device.close()
        #expect(device.findings.map(\.description) == [])
    }

    @Test("are all that a box leaves behind")
    func probes() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        let all: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
        ]
        func stored() -> [String] {
            var found: CFTypeRef?
            let status = SecItemCopyMatching(all as CFDictionary, &found)
            #expect(status == errSecSuccess || status == errSecItemNotFound)
            return (found as? [[String: Any]] ?? []).compactMap { $0[kSecAttrAccount as String] as? String }
        }
        try device.run {
            #expect(try ValueTests.box().string(for: "k") == nil)
            #expect(stored() == [])
            try ValueTests.box().set("x", for: "k", protection: .always)
            #expect(stored() == ["k"])
            // Also where a program could not delete what it had just stored.
            device.failNext(.delete, with: errSecNotAvailable)
            let box = try ValueTests.box()
            #expect(try box.allKeys == ["k"])
            #expect(stored().count == 2)
            try box.removeAll()
            #expect(stored() == [])
            // Before the first unlock, when few classes are open, a box finds its group as well.
            try box.set("x", for: "k", protection: .alwaysThisDeviceOnly)
            try device.reboot()
            #expect(try ValueTests.box().string(for: "k") == "x")
            #expect(stored() == ["k"])
            // A state that cannot be known is an error.
            device.failNext(.add, with: errSecNotAvailable)
            #expect(throws: LockboxError.unavailable) { try ValueTests.box().string(for: "k") }
        }
    }

    @Test("are bytes: an accented letter can be written in two ways")
    func canonicallyEqual() throws {
        let device = try VirtualDevice()
        try device.run {
            let box = try ValueTests.box()
            try box.set("one", for: "\u{C4}")
            try box.set("two", for: "A\u{308}")
            #expect(try box.string(for: "\u{C4}") == "one")
            #expect(try box.string(for: "A\u{308}") == "two")
            #expect(try box.allKeys.map { Array($0.utf8) } == [[0x41, 0xCC, 0x88], [0xC3, 0x84]])
            for key in try box.allKeys { #expect(try box.removeValue(for: key)) }
            #expect(try box.allKeys == [])
        }
    }

    @Test("that synchronise and those that do not are apart")
    func synchronizable() throws {
        let device = try VirtualDevice()
        try device.run {
            let everywhere = try Lockbox(
                identifier: "com.example.mail", protection: .whenUnlocked, isSynchronizable: true)
            let here = try ValueTests.box()
            try everywhere.set("all", for: "k")
            try here.set("this", for: "k")
            #expect(try everywhere.string(for: "k") == "all")
            #expect(try here.string(for: "k") == "this")
            try here.removeAll()
            #expect(try everywhere.allKeys == ["k"])
            #expect(try here.allKeys == [])
        }
    }

    @Test("take the last of many values that are set at once")
    func races() throws {
        let device = try VirtualDevice()
        let app = device.defaultApp
        let box = try ValueTests.box()
        onThreads(16) { index in
            let error: (any Error)? = app.run {
                do {
                    if index % 4 == 3 { try box.removeValue(for: "k") } else { try box.set(index, for: "k") }
                    return nil
                } catch {
                    return error
                }
            }
            #expect(error == nil)
        }
        try app.run {
            try box.set("last", for: "k")
            #expect(try box.string(for: "k") == "last")
            #expect(try box.allKeys == ["k"])
        }
    }

    @Test("that others add and remove all the time end with an error, not with a loop")
    func contested() throws {
        let device = try VirtualDevice()
        try device.run {
            let box = try ValueTests.box()
            #expect(try box.allKeys == [])
            device.failNext(.update, with: errSecItemNotFound, times: 3)
            device.failNext(.add, with: errSecDuplicateItem, times: 3)
            try box.set("in", for: "k")
            #expect(try box.string(for: "k") == "in")
            device.failNext(.update, with: errSecItemNotFound, times: 8)
            device.failNext(.add, with: errSecDuplicateItem, times: 8)
            #expect(throws: LockboxError.contested(key: "k")) { try box.set("out", for: "k") }
            #expect(try box.string(for: "k") == "in")
        }
    }
}
