import Foundation
import Lockbox
import Security
import SecurityTesting
import Testing

@Suite("The calls of the older library of that name")
struct PrefixTests {
    /// The items that the older library stored for an app, in the same form.
    private static func store(_ data: Data, service: String) {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecValueData: data,
            kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked,
        ]
        #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
    }

    private static func attributes(_ service: String) throws -> [String: Any] {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecReturnData: true,
            kSecReturnAttributes: true,
        ]
        var found: CFTypeRef?
        #expect(SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess)
        return try #require(found as? [String: Any])
    }

    @Test("read what it stored: texts, lists, dates and bytes")
    func reading() throws {
        let device = try VirtualDevice()
        device.run {
            for (key, text) in [
                ("token", "Größe 🔑"), ("list", "a-|-b-|-"), ("pairs", "k1-|-k2-|-v1-|-v2"), ("odd", "k1-|-k2-|-v1"),
                ("date", "812345678.125"), ("no date", "soon"),
            ] { Self.store(Data(text.utf8), service: "com.example.app.\(key)") }
            Self.store(Data([0xFF, 0xFE]), service: "com.example.app.bytes")

            let box = Lockbox(keyPrefix: "com.example.app")
            #expect(box.string(forKey: "token") == "Größe 🔑")
            #expect(box.array(forKey: "list") == ["a", "b", ""])
            #expect(box.set(forKey: "list") == ["a", "b", ""])
            #expect(box.dictionary(forKey: "pairs") == ["k1": "v1", "k2": "v2"])
            #expect(box.dictionary(forKey: "odd") == nil)
            #expect(box.date(forKey: "date") == Date(timeIntervalSinceReferenceDate: 812_345_678.125))
            #expect(box.date(forKey: "no date") == Date(timeIntervalSinceReferenceDate: 0))
            #expect(box.string(forKey: "bytes") == nil)
            #expect(box.data(forKey: "bytes") == Data([0xFF, 0xFE]))
            #expect(box.string(forKey: "nothing") == nil && box.data(forKey: "nothing") == nil)
            #expect(Lockbox(keyPrefix: "com.example").string(forKey: "app.token") == "Größe 🔑")
        }
    }

    @Test("store as it did, replace, remove, and tell whether it was done")
    func writing() throws {
        let device = try VirtualDevice()
        try device.run {
            let box = Lockbox(keyPrefix: "com.example.app")
            #expect(box.setString("one", forKey: "token"))
            var item = try Self.attributes("com.example.app.token")
            #expect(item[kSecValueData as String] as? Data == Data("one".utf8))
            #expect(item[kSecAttrAccount as String] as? String == "")
            #expect(item[kSecAttrAccessible as String] as? String == kSecAttrAccessibleWhenUnlocked as String)
            #expect(
                box.setString(
                    "two", forKey: "token", accessibility: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly))
            item = try Self.attributes("com.example.app.token")
            #expect(item[kSecValueData as String] as? Data == Data("two".utf8))
            #expect(
                item[kSecAttrAccessible as String] as? String
                    == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String)

            #expect(box.setArray(["a", "b"], forKey: "list") && box.array(forKey: "list") == ["a", "b"])
            #expect(box.setArray([], forKey: "list") && box.array(forKey: "list") == nil)
            #expect(box.setSet(["x", "y"], forKey: "set") && box.set(forKey: "set") == ["x", "y"])
            let pairs = ["k1": "v1", "k2": "v2", "k3": "v3"]
            #expect(box.setDictionary(pairs, forKey: "pairs") && box.dictionary(forKey: "pairs") == pairs)
            let date = Date(timeIntervalSinceReferenceDate: 812_345_678.123_456)
            #expect(box.setDate(date, forKey: "date") && box.date(forKey: "date") == date)

            #expect(box.setString(nil, forKey: "token") && box.string(forKey: "token") == nil)
            #expect(!box.setString(nil, forKey: "token"))
            #expect(!box.setString("x", forKey: ""))
            #expect(!box.setString("x", forKey: "token", accessibility: "never" as CFString))
        }
    }

    @Test("and those of this library do not see each other's values")
    func apart() throws {
        let device = try VirtualDevice()
        try device.run {
            let former = Lockbox(keyPrefix: "com.example.app")
            let box = try Lockbox(identifier: "com.example.app", protection: .whenUnlocked)
            #expect(former.setString("old", forKey: "token"))
            try box.set("new", for: "token")
            #expect(try former.string(forKey: "token") == "old" && box.string(for: "token") == "new")
            #expect(try box.allKeys == ["token"])
            try box.removeAll()
            #expect(former.string(forKey: "token") == "old")
        }
    }

    @available(*, deprecated)
    @Test("of the class do nothing in a program without a bundle identifier")
    func withoutBundle() throws {
        try #require(Bundle.main.bundleIdentifier == nil)
        let device = try VirtualDevice()
        device.run {
            #expect(!Lockbox.setString("x", forKey: "token") && Lockbox.string(forKey: "token") == nil)
            #expect(!Lockbox.setArray(["x"], forKey: "list") && Lockbox.array(forKey: "list") == nil)
            #expect(!Lockbox.setSet(["x"], forKey: "set") && Lockbox.set(forKey: "set") == nil)
            #expect(!Lockbox.setDictionary(["x": "y"], forKey: "d") && Lockbox.dictionary(forKey: "d") == nil)
            #expect(!Lockbox.setDate(Date(), forKey: "date") && Lockbox.date(forKey: "date") == nil)
            #expect(Lockbox.data(forKey: "a") == nil)
            #expect(Lockbox.stringForKey("token") == nil && Lockbox.arrayForKey("list") == nil)
            #expect(Lockbox.setForKey("set") == nil && Lockbox.dictionaryForKey("d") == nil)
            #expect(Lockbox.dateForKey("date") == nil)
        }
    }
}
