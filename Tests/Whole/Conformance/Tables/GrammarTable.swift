import Foundation
import Security
import SecurityTesting
import Testing

extension Table {
    /// The keys that a query may have, and the values that they need (6.1).
    static let grammar = Table { table in
        table.addKeyShapes()
        table.addReturnKeys()
        table.addUseKeys()
        table.addClasses()
        table.addSizes()
    }

    private mutating func addKeyShapes() {
        let refused: [(String, String)] = [
            ("", "an empty key"), ("x", "a key of one character"), ("c", "a lone c"),
            ("classy", "c… that is not class"),
            ("claas", "a misspelt class"), ("r_Foo", "an unknown return key"), ("r_data", "a return key in lower case"),
            ("u_Foo", "an unknown use key"), ("v_Foo", "an unknown value key"), ("rowid", "the row number"),
            ("zzzzz", "an unknown prefix"), ("kSecAttrAccount", "a constant's name"), ("account", "a word"),
            ("UUIDs", "five capitals"), ("private", "a key-generation key"), (" acct", "a blank in front"),
        ]
        for (key, name) in refused {
            row("6.1, 15.10", "\(name) is refused") { s in
                s.add([kSecAttrAccount: "refused"])
                s.find([key as CFString: true], gives: errSecParam)
                s.delete([key as CFString: true], gives: errSecParam)
                s.add([key as CFString: true, kSecAttrAccount: "b"], gives: errSecParam)
                s.update([key as CFString: true], [:], gives: errSecParam)
                s.expect(s.count([:]) == 1, "nothing changed")
            }
        }
        row("6.1, 15.10", "an unknown match key is ignored by find") { s in
            s.add([:])
            s.find(["m_Whatever": 1])
        }
        row("6.1", "an unknown match key is refused by update and delete") { s in
            s.add([:])
            s.update(["m_Whatever": 1], [:], gives: errSecParam)
            s.delete(["m_Whatever": 1], gives: errSecParam)
        }
        row("0.8, 6.3", "an unknown match key is refused by add") { s in
            s.add(["m_Whatever": 1], gives: errSecParam)
            s.expect(s.count([:]) == 0, "nothing stored")
        }
        for key in ["fcb", "fcallback"] {
            row("6.1", "\(key) is ignored") { s in
                s.add([key as CFString: 1])
                s.find([key as CFString: "x"])
                s.delete([key as CFString: "x"])
            }
        }
        row("6.1", "a Number as key is an unknown attribute") { s in
            let query: NSDictionary = [kSecClass: s.row.itemClass.value, NSNumber(value: 7): "x"]
            s.findExactly(query, gives: errSecNoSuchAttr)
            s.addExactly(query, gives: errSecNoSuchAttr)
        }
        let keys = [
            Sample("Data") { NSData(data: Data("acct".utf8)) }, Sample("Date") { NSDate(timeIntervalSince1970: 0) },
            Sample("null") { NSNull() }, Sample("Array") { NSArray(array: ["acct"]) },
        ]
        for key in keys {
            row("6.1", "\(key.name) as key is refused") { s in
                let query = NSMutableDictionary()
                query[kSecClass] = s.row.itemClass.value
                if let key = key.make() as? any NSCopying { query.setObject("x" as NSString, forKey: key as! NSObject) }
                s.expect(query.count == 2, "the key is in the dictionary")
                s.findExactly(query, gives: errSecParam)
                s.addExactly(query, gives: errSecParam)
            }
        }
    }

    private mutating func addReturnKeys() {
        for key in [kSecReturnData, kSecReturnAttributes, kSecReturnRef, kSecReturnPersistentRef].map({ $0 as String })
        {
            let samples = [
                Sample("Number 1") { NSNumber(value: 1) }, Sample("String") { "true" }, Sample("Data") { Data([1]) },
                Sample("null") { NSNull() },
            ]
            for sample in samples {
                row("6.1", "\(key) refuses \(sample.name)") { s in
                    s.find([key as CFString: sample.make()], gives: errSecParam)
                    s.add([key as CFString: sample.make()], gives: errSecParam)
                }
            }
            row("6.4", "\(key) without a place for the result is refused by find") { s in
                s.add([:])
                let status = s.app.run { SecItemCopyMatching(s.classed([key as CFString: true]), nil) }
                s.expect(status == errSecParam, "find gave \(status)")
            }
            row("6.3", "\(key) without a place for the result is tolerated by add") { s in
                let status = s.app.run { SecItemAdd(s.classed([key as CFString: true]), nil) }
                s.expect(status == errSecSuccess, "add gave \(status)")
                s.expect(s.count([:]) == 1, "stored")
            }
            row("6.5, 15.15", "\(key) in the query of an update is refused") { s in
                s.add([:])
                s.update([key as CFString: true], [:], gives: errSecParam)
            }
            row("6.5", "\(key) false in the query of an update is accepted") { s in
                s.add([:])
                s.update([key as CFString: false], [:])
            }
            row("6.5, 15.15", "\(key) among the changes of an update is not an attribute") { s in
                s.add([:])
                s.update([:], [key as CFString: true], gives: errSecNoSuchAttr)
            }
            row("6.6", "\(key) is ignored by delete") { s in
                s.add([:])
                s.delete([key as CFString: true])
                s.expect(s.count([:]) == 0, "deleted")
            }
        }
    }

    private mutating func addUseKeys() {
        for value in [DeprecatedConstants.useAuthenticationUIAllow, DeprecatedConstants.useAuthenticationUIFail].map({
            $0 as String
        }) {
            row("6.1", "authentication UI \(value) is accepted by all calls") { s in
                s.add([kSecUseAuthenticationUI: value])
                s.find([kSecUseAuthenticationUI: value])
                s.update([kSecUseAuthenticationUI: value], [:])
                s.delete([kSecUseAuthenticationUI: value])
            }
        }
        row("6.1, 6.3, 6.5, 6.6, 7.3", "authentication UI Skip is for find only") { s in
            let skip: [CFString: Any] = [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]
            s.add(skip, gives: errSecParam)
            s.add([:])
            s.find(skip)
            s.update(skip, [:], gives: errSecParam)
            s.delete(skip, gives: errSecParam)
        }
        let wrong = [
            Sample("another String") { "u_AuthUIX" }, Sample("Number") { 1 }, Sample("Boolean") { true },
            Sample("Data") { Data("u_AuthUIA".utf8) },
        ]
        for sample in wrong {
            row("6.1", "authentication UI refuses \(sample.name)") { s in
                s.allRefuse([kSecUseAuthenticationUI: sample.make()], gives: errSecParam)
            }
        }
        row("6.1", "kSecUseNoAuthenticationUI is accepted") { s in
            s.add(["u_NoAuthUI": true])
            s.find(["u_NoAuthUI": true])
        }
        row("6.1", "an operation prompt is accepted") { s in
            s.add([:])
            s.find([DeprecatedConstants.useOperationPrompt: "why"])
        }
        for value in [true, false] {
            row("6.1, 6.10", "kSecUseDataProtectionKeychain \(value) makes no difference") { s in
                s.add([kSecUseDataProtectionKeychain: value])
                s.add([:], gives: errSecDuplicateItem)
                s.find([kSecUseDataProtectionKeychain: value])
                s.update([kSecUseDataProtectionKeychain: value], [kSecUseDataProtectionKeychain: value])
                s.delete([kSecUseDataProtectionKeychain: value])
            }
        }
        row("6.1", "an item list is refused by find") { s in
            s.find(["u_ItemList": ["a"]], gives: errSecParam)
        }
        row("0.8, 6.3", "an item list is refused by add") { s in
            s.add(["u_ItemList": ["a"]], gives: errSecParam)
        }
        for key in ["u_SystemKeychain", "u_SystemKeychainAlways", "u_SyncBubbleKeychain", "u_UserIndependentKeychain"] {
            row("6.1", "\(key) needs a private entitlement") { s in
                s.allRefuse([key as CFString: true], gives: errSecMissingEntitlement)
            }
        }
    }

    private mutating func addClasses() {
        row("5.1", "a missing class is refused") { s in
            s.addExactly([kSecAttrAccount: "a"] as NSDictionary, gives: errSecParam)
            s.findExactly([kSecAttrAccount: "a"] as NSDictionary, gives: errSecParam)
            s.delete([:], gives: errSecItemNotFound)
            let status = s.app.run { SecItemDelete([kSecAttrAccount: "a"] as NSDictionary) }
            s.expect(status == errSecParam, "delete gave \(status)")
            let updated = s.app.run {
                SecItemUpdate([kSecAttrAccount: "a"] as NSDictionary, [kSecAttrLabel: "a"] as NSDictionary)
            }
            s.expect(updated == errSecParam, "update gave \(updated)")
        }
        row("5.1", "an empty dictionary is refused") { s in
            s.addExactly(NSDictionary(), gives: errSecParam)
            s.findExactly(NSDictionary(), gives: errSecParam)
        }
        for name in ["apls", "genq", "", "GENP", "kSecClassGenericPassword", "kitchen"] {
            row("5.1", "the class “\(name)” does not exist") { s in
                s.allRefuse([kSecClass: name], gives: errSecNoSuchClass)
            }
        }
        let kinds = [
            Sample("Number") { 1 }, Sample("Data") { Data("genp".utf8) }, Sample("null") { NSNull() },
            Sample("Array") { ["genp"] },
        ]
        for kind in kinds {
            row("5.1", "a class that is \(kind.name) is refused") { s in
                let query: NSDictionary = [kSecClass: kind.make(), kSecAttrAccount: "a"]
                for status in s.app.run({
                    [SecItemAdd(query, nil), SecItemCopyMatching(query, nil), SecItemDelete(query)]
                }) {
                    s.expect(status == errSecParam || status == errSecNoSuchClass, "gave \(status)")
                }
            }
        }
    }

    private mutating func addSizes() {
        row("6.1", "128 pairs are allowed") { s in
            s.add([:])
            var query: [CFString: Any] = [:]
            for number in 0..<127 { query["m_pair\(number)" as CFString] = number }
            s.find(query)
        }
        row("6.1", "more than 128 pairs are refused") { s in
            s.add([:])
            var query: [CFString: Any] = [:]
            for number in 0..<129 { query["f_pair\(number)" as CFString] = number }
            s.find(query, gives: errSecParam)
            s.delete(query, gives: errSecParam)
            s.update([:], query, gives: errSecParam)
            s.expect(s.count([:]) == 1, "nothing changed")
        }
    }
}
