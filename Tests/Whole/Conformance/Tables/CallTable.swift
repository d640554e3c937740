import Foundation
import Security
import SecurityTesting
import Testing

extension Table {
    /// Rules of add, find, update and delete that are not about single attributes (6.3 to 6.6).
    static let calls = Table { table in
        table.addAdds()
        table.addFinds()
        table.addUpdates()
        table.addDeletes()
    }

    private mutating func addAdds() {
        for name in [
            "m_CaseInsensitive", "m_Issuers", "m_ItemList", "m_SearchList", "m_Policy", "m_TrustedOnly",
            "m_ValidOnDate", "m_EmailAddressIfPresent", "m_HostOrSubdomainOfHost", "m_SubjectContains",
        ] {
            row("0.8, 6.3", "\(name) is refused by add") { s in
                s.add([name as CFString: "x"], gives: errSecParam)
                s.expect(s.count([:]) == 0, "nothing stored")
            }
        }
        row("6.3", "an item collides with itself") { s in
            s.add([kSecAttrAccount: "a", kSecValueData: Data("1".utf8)])
            s.add([kSecAttrAccount: "a", kSecValueData: Data("2".utf8)], gives: errSecDuplicateItem)
            s.expect(s.data(of: [kSecAttrAccount: "a"]), is: Data("1".utf8), "data")
        }
        row("6.3", "a deleted item can be added again") { s in
            s.add([kSecAttrAccount: "a", kSecAttrLabel: "old"])
            s.delete([kSecAttrAccount: "a"])
            s.add([kSecAttrAccount: "a"])
            s.expect(s.attributes(of: [:])["labl"] == nil, "nothing of the old item is left")
        }
        row("6.3", "class-specific attributes are never mandatory") { s in
            s.add([:])
            s.expect(s.count([:]) == 1, "stored")
        }
        row("6.9", "a value reference that is not a key, certificate or identity is refused") { s in
            s.add([kSecValueRef: "text"], gives: errSecParam)
            s.find([kSecValueRef: 5], gives: errSecParam)
        }
    }

    private mutating func addFinds() {
        row("6.4", "no return key is a test for existence") { s in
            s.find([:], gives: errSecItemNotFound)
            s.add([:])
            let status = s.app.run { SecItemCopyMatching(s.classed([:]), nil) }
            s.expect(status == errSecSuccess, "find without a result gave \(status)")
        }
        row("6.4", "nothing in the keychain is not found") { s in
            s.find([:], gives: errSecItemNotFound)
            s.find([kSecMatchLimit: kSecMatchLimitAll], gives: errSecItemNotFound)
            s.update([:], [kSecAttrLabel: "x"], gives: errSecItemNotFound)
            s.delete([:], gives: errSecItemNotFound)
        }
        row("6.4", "all conditions of a query must hold") { s in
            s.add([kSecAttrAccount: "a", kSecAttrLabel: "x"])
            s.add([kSecAttrAccount: "b", kSecAttrLabel: "x"])
            s.find([kSecAttrAccount: "a", kSecAttrLabel: "y"], gives: errSecItemNotFound)
            s.expect(s.count([kSecAttrLabel: "x"]) == 2, "both by label")
            s.expect(s.attributes(of: [kSecAttrAccount: "b", kSecAttrLabel: "x"])["acct"], is: "b", "account")
        }
        row("6.4", "a find sees only its class") { s in
            s.add([kSecAttrAccount: "a"])
            s.find([kSecClass: s.row.itemClass.other.value, kSecAttrAccount: "a"], gives: errSecItemNotFound)
        }
        row("6.4", "issuers are for certificates") { s in
            s.add([:])
            s.find([kSecMatchIssuers: [Data([0x30, 0])]], gives: errSecUnimplemented)
        }
        row("6.4", "a policy is for certificates") { s in
            s.add([:])
            s.find([kSecMatchPolicy: "policy"], gives: errSecUnimplemented)
        }
        row("6.4", "a host filter is for internet passwords", only: .generic) { s in
            s.add([:])
            s.find([kSecMatchHostOrSubdomainOfHost: "example.com"], gives: errSecUnimplemented)
        }
        let filters: [(String, [Sample])] = [
            ("m_ValidOnDate", [Sample("String") { "now" }, Sample("Number") { 1 }]),
            ("m_TrustedOnly", [Sample("String") { "yes" }, Sample("Number") { NSNumber(value: 1) }]),
            ("m_EmailAddressIfPresent", [Sample("Number") { 1 }, Sample("Data") { Data([1]) }]),
        ]
        for (key, samples) in filters {
            for sample in samples {
                row("6.4", "\(key) refuses \(sample.name)") { s in
                    s.add([:])
                    s.find([key as CFString: sample.make()], gives: errSecParam)
                }
            }
        }
        for sample in [
            Sample("Number") { 1 }, Sample("Data") { Data("example.com".utf8) }, Sample("null") { NSNull() },
        ] {
            row("6.4", "a host filter refuses \(sample.name)", only: .internet) { s in
                s.add([kSecAttrServer: "example.com"])
                s.find([kSecMatchHostOrSubdomainOfHost: sample.make()], gives: errSecParam)
            }
        }
        let hosts: [(String, String, Bool)] = [
            ("example.com", "example.com", true), ("www.example.com", "example.com", true),
            ("a.b.example.com", "example.com", true), ("badexample.com", "example.com", false),
            ("Example.com", "example.com", false), ("www.EXAMPLE.com", "example.com", false),
            ("example.com.evil", "example.com", false), ("example.com", "www.example.com", false),
            ("com", "example.com", false), ("example.com", "com", true), (".example.com", "example.com", true),
            ("", "example.com", false),
        ]
        for (server, host, fits) in hosts {
            row("6.4", "“\(server)” \(fits ? "fits" : "does not fit") the host “\(host)”", only: .internet) { s in
                s.add([kSecAttrServer: server])
                let query: [CFString: Any] = [kSecMatchHostOrSubdomainOfHost: host, kSecMatchLimit: kSecMatchLimitAll]
                s.find(query, gives: fits ? errSecSuccess : errSecItemNotFound)
            }
        }
        row("0.10, 6.4", "a host filter keeps looking behind items that do not fit", only: .internet) { s in
            s.add([kSecAttrServer: "other.org"])
            s.add([kSecAttrServer: "badexample.com"])
            s.add([kSecAttrServer: "www.example.com"])
            let found = s.attributes(of: [kSecMatchHostOrSubdomainOfHost: "example.com"])
            s.expect(found["srvr"], is: "www.example.com", "server")
        }
        row("6.4", "a host filter and a limit give at most as many as fit", only: .internet) { s in
            for server in ["x.org", "a.example.com", "y.org", "b.example.com", "c.example.com"] {
                s.add([kSecAttrServer: server])
            }
            let query: [CFString: Any] = [kSecMatchHostOrSubdomainOfHost: "example.com", kSecReturnAttributes: true]
            let two = s.find(query.with(kSecMatchLimit, 2)) as? [[String: Any]]
            s.expect(two?.count == 2, "two of three")
            s.expect(
                two?.allSatisfy { ($0["srvr"] as? String)?.hasSuffix("example.com") ?? false } ?? false, "they fit")
            s.expect((s.find(query.with(kSecMatchLimit, kSecMatchLimitAll)) as? [Any])?.count == 3, "all three")
        }
        row("6.4", "a host filter works beside attributes", only: .internet) { s in
            s.add([kSecAttrServer: "a.example.com", kSecAttrAccount: "anna"])
            s.add([kSecAttrServer: "b.example.com", kSecAttrAccount: "bob"])
            let found = s.attributes(of: [kSecMatchHostOrSubdomainOfHost: "example.com", kSecAttrAccount: "bob"])
            s.expect(found["srvr"], is: "b.example.com", "server")
        }
    }

    private mutating func addUpdates() {
        for key in ["m_Limit", "m_CaseInsensitive", "m_Unknown"] {
            row("6.5, 15.1", "\(key) in the query of an update is refused") { s in
                s.add([kSecAttrLabel: "old"])
                let value: Any = key == "m_Limit" ? kSecMatchLimitAll as Any : true as Any
                s.update([key as CFString: value], [kSecAttrLabel: "new"], gives: errSecParam)
                s.expect(s.attributes(of: [:])["labl"], is: "old", "label")
            }
            row("6.5", "\(key) among the changes of an update is refused") { s in
                s.add([:])
                let value: Any = key == "m_Limit" ? kSecMatchLimitAll as Any : true as Any
                s.update([:], [key as CFString: value], gives: errSecParam)
            }
        }
        for key in ["u_AuthUI", "u_OpPrompt", "u_Tomb", "u_ItemList", "u_NoAuthUI"] {
            row("6.5", "\(key) among the changes of an update is not an attribute") { s in
                s.add([:])
                let value: Any = key == "u_AuthUI" ? kSecUseAuthenticationUISkip as Any : true as Any
                s.update([:], [key as CFString: value], gives: errSecNoSuchAttr)
            }
        }
        row("6.5, 15.15", "the class among the changes of an update is not an attribute") { s in
            s.add([:])
            s.update([:], [kSecClass: s.row.itemClass.value], gives: errSecNoSuchAttr)
        }
        row("6.5", "an unknown attribute among the changes is refused") { s in
            s.add([:])
            s.update([:], ["zzzz": 1], gives: errSecNoSuchAttr)
        }
        row("6.5", "an update of nothing is not found") { s in
            s.update([kSecAttrAccount: "absent"], [kSecAttrLabel: "l"], gives: errSecItemNotFound)
        }
        row("6.5", "an empty update is allowed") { s in
            s.add([kSecAttrLabel: "l", kSecValueData: Data("d".utf8)])
            s.update([:], [:])
            s.expect(s.attributes(of: [:])["labl"], is: "l", "label")
            s.expect(s.data(of: [:]), is: Data("d".utf8), "data")
        }
        row("6.5", "all items that match are updated") { s in
            for account in ["a", "b", "c"] { s.add([kSecAttrAccount: account, kSecAttrLabel: "old"]) }
            s.add([kSecAttrAccount: "d", kSecAttrLabel: "other"])
            s.update([kSecAttrLabel: "old"], [kSecAttrLabel: "new"])
            s.expect(s.count([kSecAttrLabel: "new"]) == 3, "three updated")
            s.expect(s.count([kSecAttrLabel: "other"]) == 1, "one not")
        }
        row("6.5", "an update of several items to one primary key changes nothing") { s in
            for account in ["a", "b"] { s.add([kSecAttrAccount: account, kSecAttrLabel: "l"]) }
            s.update([kSecAttrLabel: "l"], [kSecAttrAccount: "same", kSecAttrLabel: "new"], gives: errSecDuplicateItem)
            s.expect(s.count([kSecAttrLabel: "l"]) == 2, "both as they were")
            s.expect(s.count([kSecAttrAccount: "same"]) == 0, "none changed")
        }
        row("6.5", "an update to the item's own primary key does not collide") { s in
            s.add([kSecAttrAccount: "a"])
            s.update([kSecAttrAccount: "a"], [kSecAttrAccount: "a", kSecAttrLabel: "l"])
            s.expect(s.attributes(of: [:])["labl"], is: "l", "label")
        }
        row("6.5", "an item can be renamed and its old name used again") { s in
            s.add([kSecAttrAccount: "a", kSecValueData: Data("1".utf8)])
            s.update([kSecAttrAccount: "a"], [kSecAttrAccount: "b"])
            s.add([kSecAttrAccount: "a", kSecValueData: Data("2".utf8)])
            s.expect(s.data(of: [kSecAttrAccount: "b"]), is: Data("1".utf8), "data of the renamed item")
            s.expect(s.data(of: [kSecAttrAccount: "a"]), is: Data("2".utf8), "data of the new item")
        }
        row("6.5", "an update changes the digest of the item") { s in
            s.add([kSecAttrLabel: "a"])
            let before = s.attributes(of: [:])["sha1"] as? Data
            s.update([:], [kSecAttrLabel: "b"])
            s.expect(s.attributes(of: [:])["sha1"] as? Data != before, "another digest")
        }
        row("0.9, 5.1, 6.5", "a digest or a comment names its item, and another item stays as it is") { s in
            s.add([kSecAttrAccount: "a", kSecAttrComment: "c", kSecValueData: Data("1".utf8)])
            s.add([kSecAttrAccount: "b", kSecAttrComment: "d", kSecValueData: Data("2".utf8)])
            let other = s.attributes(of: [kSecAttrAccount: "b"])["sha1"] as? Data
            let digest = s.attributes(of: [kSecAttrAccount: "a"])["sha1"] as? Data ?? Data()
            s.expect(s.data(of: ["sha1" as CFString: digest]), is: Data("1".utf8), "data by the digest")
            s.expect(s.data(of: [kSecAttrComment: "c"]), is: Data("1".utf8), "data by the comment")
            s.update(["sha1" as CFString: digest], [kSecAttrComment: "new"])
            s.find(["sha1" as CFString: digest], gives: errSecItemNotFound)
            s.find([kSecAttrComment: "c"], gives: errSecItemNotFound)
            s.delete([kSecAttrComment: "new"])
            s.delete([kSecAttrComment: "new"], gives: errSecItemNotFound)
            s.expect(s.attributes(of: [:])["sha1"] as? Data == other, "the digest of the other item")
        }
    }

    private mutating func addDeletes() {
        for key in ["m_CaseInsensitive", "m_HostOrSubdomainOfHost", "m_Unknown"] {
            row("6.6, 15.1", "\(key) is refused by delete") { s in
                s.add([:])
                s.delete([key as CFString: "x"], gives: errSecParam)
                s.delete([key as CFString: "x", kSecMatchLimit: kSecMatchLimitAll], gives: errSecParam)
                s.expect(s.count([:]) == 1, "nothing deleted")
            }
        }
        row("6.6, 15.1", "every limit but all is refused by delete") { s in
            s.add([:])
            for limit in [kSecMatchLimitOne as Any, 1, 2, 0, "m_LimitTwo", true, NSNull()] {
                s.delete([kSecMatchLimit: limit], gives: errSecParam)
            }
            s.expect(s.count([:]) == 1, "nothing deleted")
        }
        row("0.14", "limit all says what a delete does anyway") { s in
            for account in ["a", "b", "c"] { s.add([kSecAttrAccount: account, kSecAttrLabel: "old"]) }
            s.add([kSecAttrAccount: "d"])
            s.delete([kSecAttrLabel: "old", kSecMatchLimit: kSecMatchLimitAll])
            s.expect(s.count([:]) == 1, "one is left")
            s.delete([kSecAttrLabel: "old", kSecMatchLimit: kSecMatchLimitAll], gives: errSecItemNotFound)
        }
        row("6.6", "all items that match are deleted") { s in
            for account in ["a", "b", "c"] { s.add([kSecAttrAccount: account, kSecAttrLabel: "old"]) }
            s.add([kSecAttrAccount: "d"])
            s.delete([kSecAttrLabel: "old"])
            s.expect(s.count([:]) == 1, "one is left")
        }
        row("6.6", "a delete by class alone deletes the app's items of the class") { s in
            s.add([kSecAttrAccount: "a"])
            s.add([kSecAttrAccount: "b"])
            s.add([kSecClass: s.row.itemClass.other.value])
            s.delete([:])
            s.expect(s.count([:]) == 0, "none left")
            s.expect(s.count([kSecClass: s.row.itemClass.other.value]) == 1, "the other class is as it was")
        }
        row("6.6", "nothing to delete is not found") { s in
            s.delete([kSecAttrAccount: "nobody"], gives: errSecItemNotFound)
            s.add([kSecAttrAccount: "a"])
            s.delete([kSecAttrAccount: "a"])
            s.delete([kSecAttrAccount: "a"], gives: errSecItemNotFound)
        }
    }
}
