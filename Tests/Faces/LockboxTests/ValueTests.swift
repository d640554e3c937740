import Foundation
import Lockbox
import Security
import SecurityTesting
import Testing

struct Account: Codable, Equatable {
    var name: String
    var since: Date
    var limits: [Double]
    var parent: [String: Int]?
}

@Suite("Values of a lockbox")
struct ValueTests {
    static func box(_ identifier: String = "com.example.mail") throws -> Lockbox {
        try Lockbox(identifier: identifier, protection: .whenUnlockedThisDeviceOnly)
    }

    /// The data, type and creator of an item, as any program reads them.
    private static func item(_ key: String) throws -> (data: Data?, type: Int?, creator: Int?) {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.mail", kSecAttrAccount: key,
            kSecReturnData: true, kSecReturnAttributes: true,
        ]
        var found: CFTypeRef?
        #expect(SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess)
        let item = try #require(found as? [String: Any])
        return (
            item[kSecValueData as String] as? Data, (item[kSecAttrType as String] as? NSNumber)?.intValue,
            (item[kSecAttrCreator as String] as? NSNumber)?.intValue
        )
    }

    @Test("are read as they were set, whatever they are", arguments: VirtualDevice.Backend.allCases)
    func kinds(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        try device.run {
            let box = try Self.box()
            #expect(try box.string(for: "text") == nil)
            try box.set("Größe 🔑", for: "text")
            #expect(try box.string(for: "text") == "Größe 🔑")
            try box.set("", for: "empty")
            #expect(try box.string(for: "empty") == "")
            try box.set(Data([0, 255, 1]), for: "bytes")
            #expect(try box.data(for: "bytes") == Data([0, 255, 1]))
            try box.set(Data(), for: "no bytes")
            #expect(try box.data(for: "no bytes") == Data())
            let date = Date(timeIntervalSinceReferenceDate: 812_345_678.123_456)
            try box.set(date, for: "date")
            #expect(try box.date(for: "date") == date)
            try box.set(["b", "a"], for: "list")
            #expect(try box.value([String].self, for: "list") == ["b", "a"])
            try box.set(Set([3, 1, 2]), for: "set")
            #expect(try box.value(Set<Int>.self, for: "set") == [1, 2, 3])
            try box.set(["a": [1.5], "b": []], for: "dictionary")
            #expect(try box.value(for: "dictionary") == ["a": [1.5], "b": []])
            try box.set(true, for: "flag")
            #expect(try box.value(Bool.self, for: "flag") == true)
            let account = Account(name: "anna", since: date, limits: [0.1, -3], parent: ["x": 1])
            try box.set(account, for: "account")
            #expect(try box.value(Account.self, for: "account") == account)
        }
        device.close()
        #expect(device.findings.isEmpty)
    }

    @Test("stand in their items as other tools read them")
    func stored() throws {
        let device = try VirtualDevice()
        try device.run {
            let box = try Self.box()
            try box.set("grün", for: "text")
            #expect(try Self.item("text") == (Data("grün".utf8), 0x7465_7874, 0x4C6B_6278))
            try box.set(Data([1, 2]), for: "bytes")
            #expect(try Self.item("bytes") == (Data([1, 2]), 0x6461_7461, 0x4C6B_6278))
            try box.set(["b": "x/y", "a": "z"], for: "json")
            #expect(try Self.item("json") == (Data(#"{"a":"z","b":"x/y"}"#.utf8), 0x6A73_6F6E, 0x4C6B_6278))
            try box.set(Date(timeIntervalSinceReferenceDate: 800_000_000.5), for: "date")
            #expect(try Self.item("date").data == Data("800000000.5".utf8))
        }
    }

    @Test("are a string or data also if generic code stores or reads them")
    func generic() throws {
        func set<Value: Codable>(_ value: Value, in box: Lockbox) throws { try box.set(value, for: "k") }
        func get<Value: Codable>(_ type: Value.Type, in box: Lockbox) throws -> Value? { try box.value(for: "k") }
        let device = try VirtualDevice()
        try device.run {
            let box = try Self.box()
            try set("text", in: box)
            #expect(try box.string(for: "k") == "text")
            #expect(try get(String.self, in: box) == "text")
            try set(Data([1]), in: box)
            #expect(try box.data(for: "k") == Data([1]))
            #expect(try get(Data.self, in: box) == Data([1]))
        }
    }

    @Test("go with nil")
    func optional() throws {
        let device = try VirtualDevice()
        try device.run {
            let box = try Self.box()
            var token: String? = "abc"
            try box.set(token, for: "token")
            #expect(try box.string(for: "token") == "abc")
            token = nil
            try box.set(token, for: "token")
            #expect(try box.containsValue(for: "token") == false)
            try box.set(token, for: "token")
            #expect(try box.allKeys.isEmpty)
        }
    }

    @Test("in optionals are what is in them, however many there are")
    func nested() throws {
        func set<Value: Encodable>(_ value: Value, in box: Lockbox) throws { try box.set(value, for: "k") }
        func get<Value: Decodable>(_ type: Value.Type, in box: Lockbox) throws -> Value? { try box.value(for: "k") }
        let device = try VirtualDevice()
        try device.run {
            let box = try Self.box()
            try set(String?.some("text"), in: box)
            #expect(try Self.item("k") == (Data("text".utf8), 0x7465_7874, 0x4C6B_6278))
            #expect(try get(String?.self, in: box) == "text")
            #expect(try get(String???.self, in: box) == "text")
            #expect(throws: LockboxError.wrongType(key: "k", wanted: "Int", found: "a string")) {
                try get(Int??.self, in: box)
            }
            try set(Data???.some(Data([1])), in: box)
            #expect(try box.data(for: "k") == Data([1]))
            #expect(try get(Data?.self, in: box) == Data([1]))
            try set(Int??.some(7), in: box)
            #expect(try Self.item("k").data == Data("7".utf8))
            #expect(try get(Int?.self, in: box) == 7)
            #expect(try get(Int.self, in: box) == 7)
            for remove in [
                { try set(String?.none, in: box) }, { try set(Int??.some(nil), in: box) },
                { try box.set(Data???.some(.some(nil)), for: "k") },
            ] as [() throws -> Void] {
                try set("text", in: box)
                try remove()
                #expect(try box.containsValue(for: "k") == false)
                #expect(try get(String?.self, in: box) == nil)
            }
            // Inside a value nothing is left out.
            try box.set([1, nil, 3], for: "k")
            #expect(try Self.item("k").data == Data("[1,null,3]".utf8))
            #expect(try box.value([Int?].self, for: "k") == [1, nil, 3])
            try box.set(["a": nil] as [String: Int?], for: "k")
            #expect(try Self.item("k").data == Data(#"{"a":null}"#.utf8))
        }
    }

    @Test("do not come out in errors: a value that does not match the program's type is of the wrong type")
    func silent() throws {
        enum Colour: String, Codable { case red }
        struct Room: Codable { var colours: [String: Colour] }
        let device = try VirtualDevice()
        try device.run {
            let box = try Self.box()
            func expectWrong<Value: Decodable>(_ type: Value.Type, _ found: String) {
                let error = #expect(throws: LockboxError.self) { try box.value(type, for: "k") }
                #expect(
                    error == .wrongType(key: "k", wanted: "\(type)", found: "another Codable value (\(found))"))
                for leak in ["purple", "1234", "12.34", "kitchen"] {
                    #expect(error?.description.contains(leak) == false)
                }
            }
            // Written as JSON, though it is a string.
            try box.set(["purple"], for: "k")
            expectWrong([Colour].self, "[]: it is not acceptable")
            expectWrong([UUID].self, "[]: it is not acceptable")
            try box.set(1234, for: "k")
            expectWrong(UInt8.self, "it is not acceptable")
            try box.set(12.34, for: "k")
            expectWrong(Int.self, "it is not acceptable")
            try box.set(["kitchen": 1234], for: "k")
            expectWrong([String: UInt8].self, "it is not acceptable")
            expectWrong([String: Bool].self, "[]: no Bool")
            try box.set(["colours": ["kitchen": "purple"]], for: "k")
            expectWrong(Room.self, "colours.[]: it is not acceptable")
            enum Stored: String, Codable { case purple }
            try box.set(Stored.purple, for: "k")
            expectWrong(Colour.self, "it is not acceptable")
            expectWrong(UUID.self, "it is not acceptable")
        }
    }

    @Test("of another type are refused with both names")
    func wrongType() throws {
        let device = try VirtualDevice()
        try device.run {
            let box = try Self.box()
            try box.set("abc", for: "text")
            #expect(throws: LockboxError.wrongType(key: "text", wanted: "data", found: "a string")) {
                try box.data(for: "text")
            }
            #expect(throws: LockboxError.wrongType(key: "text", wanted: "Int", found: "a string")) {
                try box.value(Int.self, for: "text")
            }
            try box.set([1, 2], for: "list")
            #expect(throws: LockboxError.wrongType(key: "list", wanted: "a string", found: "a Codable value")) {
                try box.string(for: "list")
            }
            let error = #expect(throws: LockboxError.self) { try box.value(Account.self, for: "list") }
            guard case .wrongType(_, "Account", let found) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(found.hasPrefix("another Codable value"))
            try box.set(["name": "anna"], for: "half")
            #expect(
                throws: LockboxError.wrongType(
                    key: "half", wanted: "Account", found: "another Codable value (since: it is missing)")
            ) {
                try box.value(Account.self, for: "half")
            }
        }
    }

    @Test("that have no form in JSON are refused, and nothing is stored")
    func notEncodable() throws {
        let device = try VirtualDevice()
        try device.run {
            let box = try Self.box()
            #expect(throws: LockboxError.notEncodable(key: "n", reason: "[]: it cannot be written")) {
                try box.set([1, Double.nan], for: "n")
            }
            #expect(try box.containsValue(for: "n") == false)
        }
    }

    @Test("that another program wrote into the items are damaged, or readable as what they are")
    func foreignBytes() throws {
        let device = try VirtualDevice()
        try device.run {
            let box = try Self.box()
            func write(_ bytes: [UInt8], _ key: String) {
                let query: [CFString: Any] = [
                    kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.mail", kSecAttrAccount: key,
                ]
                let changes = [kSecValueData: Data(bytes)] as CFDictionary
                #expect(SecItemUpdate(query as CFDictionary, changes) == errSecSuccess)
            }
            try box.set("text", for: "text")
            write([0xFF, 0xFE], "text")
            #expect(throws: LockboxError.damaged(key: "text", reason: "it is no UTF-8")) {
                try box.string(for: "text")
            }
            try box.set([1], for: "json")
            write(Array("[1".utf8), "json")
            let error = #expect(throws: LockboxError.self) { try box.value([Int].self, for: "json") }
            #expect(error == .damaged(key: "json", reason: "it is no JSON"))
            // An item that says nothing of its kind is what the program asks for, if it can be.
            let foreign: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.mail",
                kSecAttrAccount: "foreign", kSecValueData: Data("42".utf8),
            ]
            #expect(SecItemAdd(foreign as CFDictionary, nil) == errSecSuccess)
            #expect(try box.string(for: "foreign") == "42")
            #expect(try box.data(for: "foreign") == Data("42".utf8))
            #expect(try box.value(Int.self, for: "foreign") == 42)
        }
    }

    @Test("larger than an item are refused")
    func tooLarge() throws {
        let device = try VirtualDevice()
        try device.run {
            let box = try Self.box()
            #expect(throws: LockboxError.tooLarge(key: "big")) {
                try box.set(Data(count: (16 << 20) + 1), for: "big")
            }
        }
    }
}
