import Foundation
import Security
import SecurityTesting
import Testing

/// One of the sixteen combinations of return keys.
struct ReturnKeys: Sendable, CustomStringConvertible {
    let data: Bool
    let attributes: Bool
    let persistentReference: Bool
    let reference: Bool

    static let all = (0..<16).map { bits in
        ReturnKeys(
            data: bits & 1 != 0, attributes: bits & 2 != 0, persistentReference: bits & 4 != 0, reference: bits & 8 != 0
        )
    }

    var pairs: [CFString: Any] {
        [
            kSecReturnData: data, kSecReturnAttributes: attributes, kSecReturnPersistentRef: persistentReference,
            kSecReturnRef: reference,
        ]
    }

    var count: Int { [data, attributes, persistentReference, reference].count { $0 } }

    var description: String {
        let names = [
            (data, "Data"), (attributes, "Attributes"), (persistentReference, "PersistentRef"), (reference, "Ref"),
        ]
        let chosen = names.filter(\.0).map(\.1)
        return chosen.isEmpty ? "nothing" : chosen.joined(separator: " + ")
    }
}

extension Table {
    /// The result of a call for each combination of return keys and limit (6.1, 6.7).
    static let results = Table { table in
        for keys in ReturnKeys.all {
            table.addShapes(keys)
        }
        table.addObjectsWithAttributes()
        table.addItemsWithoutData()
        table.addLimits()
        table.addContents()
    }

    private mutating func addShapes(_ keys: ReturnKeys) {
        row("6.7, 15.6, 15.7", "a find of one that returns \(keys)") { s in
            s.add([kSecAttrAccount: "a", kSecValueData: Data("secret".utf8)])
            s.expectShape(s.find(keys.pairs), keys, isOne: true)
            s.expectShape(s.find(keys.pairs.with(kSecMatchLimit, kSecMatchLimitOne)), keys, isOne: true)
            s.expectShape(s.find(keys.pairs.with(kSecMatchLimit, 1)), keys, isOne: true)
        }
        row("6.7, 15.7, 15.8", "a find of many that returns \(keys)") { s in
            s.add([kSecAttrAccount: "a", kSecValueData: Data("secret".utf8)])
            s.add([kSecAttrAccount: "b", kSecValueData: Data("secret".utf8)])
            for limit in [kSecMatchLimitAll as Any, 2 as Any, 9 as Any] {
                let found = s.find(keys.pairs.with(kSecMatchLimit, limit))
                guard let list = found as? [Any] else {
                    s.expect(false, "the result is an array")
                    continue
                }
                let isEmpty = keys.count == 0 || (keys.reference && keys.count == 1)
                s.expect(list.count == (isEmpty ? 0 : 2), "the array has \(list.count) entries")
                for entry in list { s.expectShape(entry as AnyObject, keys, isOne: false) }
            }
        }
        row("6.3, 6.7", "an add that returns \(keys)") { s in
            let added = s.add(keys.pairs.with(kSecValueData, Data("secret".utf8)).with(kSecAttrAccount, "a"))
            s.expectShape(added, keys, isOne: true)
        }
        row("6.4", "a find of nothing that returns \(keys)") { s in
            s.find(keys.pairs, gives: errSecItemNotFound)
            s.find(keys.pairs.with(kSecMatchLimit, kSecMatchLimitAll), gives: errSecItemNotFound)
        }
    }

    /// The dictionaries of keys, certificates and identities, by the call that gave them.
    private mutating func addObjectsWithAttributes() {
        let others = [kSecReturnData, kSecReturnPersistentRef, kSecReturnAttributes].map { "\($0)" }
        for itemClass in [RowClass.key, .certificate, .identity] {
            for other in others {
                row("0.13, 6.7", "a reference with \(other) brings class and attributes", only: itemClass) { s in
                    let object = try itemClass.object()
                    let keys: [CFString: Any] = [kSecReturnRef: true, other as CFString: true]
                    let label = "of \(itemClass)"
                    let added = s.add(keys.with(kSecValueRef, object).with(kSecAttrLabel, label))
                    let all = s.find(keys.with(kSecMatchLimit, kSecMatchLimitAll)) as? [Any]
                    s.expect(all?.count == 1, "one of all")
                    for found in [s.find(keys), s.find(keys.with(kSecMatchLimit, kSecMatchLimitOne)), all?.first] {
                        let found = found as? [String: Any]
                        s.expect(found?["class"], is: itemClass.value, "class")
                        s.expect(found?["labl"], is: label, "label")
                        s.expect(found?["pdmn"] is String && found?["cdat"] is Date, "attributes of every class")
                        s.expect(found?["v_Ref"], is: object, "reference")
                        s.expect((found?["v_Data"] != nil) == (other == "r_Data"), "v_Data")
                    }
                    // An identity is added by reference, and its answer is another one.
                    if itemClass != .identity {
                        s.expect((added as? [String: Any])?["labl"], is: label, "label in the answer to the add")
                    }
                }
            }
        }
    }

    private mutating func addItemsWithoutData() {
        row("0.11, 6.7", "the data of an item without data is nil") { s in
            s.add([:])
            s.expect(s.find([kSecReturnData: true]) == nil, "no result")
        }
        row("6.7", "items without data are left out of an array of data") { s in
            s.add([kSecAttrAccount: "a"])
            s.add([kSecAttrAccount: "b", kSecValueData: Data("b".utf8)])
            let found = s.find([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll])
            s.expect(found, is: [Data("b".utf8)], "array")
        }
        row("6.7", "an add without data that returns data gives empty data") { s in
            s.expect(s.add([kSecReturnData: true]), is: Data(), "result")
        }
        row("0.11", "a dictionary of an item without data has no v_Data") { s in
            s.add([:])
            let found = s.find([kSecReturnData: true, kSecReturnAttributes: true]) as? [String: Any]
            s.expect(found != nil && found?["v_Data"] == nil, "no v_Data")
        }
        row("0.11", "empty data is returned as empty data") { s in
            s.add([kSecValueData: Data()])
            s.expect(s.find([kSecReturnData: true]), is: Data(), "data")
            let found = s.find([kSecReturnData: true, kSecReturnAttributes: true]) as? [String: Any]
            s.expect(found?["v_Data"], is: Data(), "v_Data")
        }
        row("0.11, 6.5", "an update to empty data leaves empty data") { s in
            s.add([kSecValueData: Data("a".utf8)])
            s.update([:], [kSecValueData: Data()])
            s.expect(s.find([kSecReturnData: true]), is: Data(), "data")
        }
        row("6.5", "an update gives data to an item that had none") { s in
            s.add([:])
            s.update([:], [kSecValueData: Data("a".utf8)])
            s.expect(s.data(of: [:]), is: Data("a".utf8), "data")
        }
    }

    private mutating func addLimits() {
        row("6.1", "limit 0 finds nothing") { s in
            s.add([:])
            s.find([kSecMatchLimit: 0], gives: errSecItemNotFound)
            s.find([kSecMatchLimit: 0, kSecReturnData: true], gives: errSecItemNotFound)
        }
        for limit in [2, 3, 5] {
            row("6.1", "limit \(limit) of four items gives at most \(limit)") { s in
                for account in ["a", "b", "c", "d"] { s.add([kSecAttrAccount: account]) }
                let found = s.find([kSecMatchLimit: limit, kSecReturnAttributes: true]) as? [Any]
                s.expect(found?.count == min(limit, 4), "\(found?.count ?? -1) items")
            }
        }
        let wrong = [
            Sample("another String") { "m_LimitTwo" }, Sample("a decimal String") { "1" }, Sample("Data") { Data([1]) },
            Sample("Boolean") { true }, Sample("null") { NSNull() }, Sample("Array") { [1] },
            Sample("Date") { Date(timeIntervalSince1970: 1) },
        ]
        for sample in wrong {
            row("6.1", "a limit that is \(sample.name) is refused") { s in
                s.add([:])
                s.find([kSecMatchLimit: sample.make()], gives: errSecParam)
            }
        }
        row("6.1", "the default limit of find is one") { s in
            s.add([kSecAttrAccount: "a"])
            s.add([kSecAttrAccount: "b"])
            s.expect(s.find([kSecReturnAttributes: true]) is NSDictionary, "a bare dictionary")
        }
        row("0.8, 6.3", "a limit is refused by add") { s in
            s.add([kSecMatchLimit: kSecMatchLimitOne], gives: errSecParam)
            s.expect(s.count([:]) == 0, "nothing stored")
        }
    }

    private mutating func addContents() {
        row("6.7", "a find returns what the device added to the attributes") { s in
            s.add([kSecAttrAccount: "a"])
            let found = s.attributes(of: [:])
            for name in ["agrp", "pdmn", "sync", "tomb", "musr", "sha1", "cdat", "mdat", "accc"] {
                s.expect(found[name] != nil, "\(name) is there")
            }
            for name in ["UUID", "persistref", "v_Data", "class", "rowid", "data", "clip", "v_PersistentRef"] {
                s.expect(found[name] == nil, "\(name) is not there")
            }
            s.expect((found["sha1"] as? Data)?.count == 20, "sha1 has 20 bytes")
            s.expect(found["sync"], is: 0, "sync")
            s.expect(found["tomb"], is: 0, "tomb")
            s.expect(found["pdmn"], is: "ak", "pdmn")
        }
        row("6.7", "an add returns no columns of the device's own") { s in
            let added = s.add([kSecAttrAccount: "a", kSecReturnAttributes: true]) as? [String: Any] ?? [:]
            for name in ["agrp", "pdmn", "sync", "cdat", "mdat", "sha1", "acct"] {
                s.expect(added[name] != nil, "\(name) is there")
            }
            for name in ["musr", "tomb", "UUID", "persistref", "v_Data", "class"] {
                s.expect(added[name] == nil, "\(name) is not there")
            }
        }
        row("6.7", "the access control comes back as an object beside its class") { s in
            s.add([kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock])
            let found = s.attributes(of: [:])
            s.expect(found["pdmn"], is: kSecAttrAccessibleAfterFirstUnlock, "pdmn")
            s.expect(found["accc"] is SecAccessControl, "accc is a SecAccessControl")
        }
        row(
            "0.1, 6.7", "a returned dictionary finds its item again",
            { s in
                s.add([kSecAttrAccount: "a", kSecAttrLabel: "l", kSecAttrType: 5, kSecAttrIsInvisible: true])
                s.add([kSecAttrAccount: "b"])
                var query = s.attributes(of: [kSecAttrAccount: "a"])
                query["class"] = s.row.itemClass.value
                query["sha1"] = nil
                query["r_Attributes"] = true
                let found = s.findExactly(query as NSDictionary) as? [String: Any]
                s.expect(found?["acct"], is: "a", "account")
            })
        row(
            "0.1", "a returned dictionary deletes its item",
            { s in
                s.add([kSecAttrAccount: "a", kSecAttrComment: "c"])
                s.add([kSecAttrAccount: "b"])
                var query = s.attributes(of: [kSecAttrAccount: "a"])
                query["class"] = s.row.itemClass.value
                query["sha1"] = nil
                let status = s.app.run { SecItemDelete(query as NSDictionary) }
                s.expect(status == errSecSuccess, "delete gave \(status)")
                s.expect(s.count([:]) == 1, "the other is still there")
            })
    }
}

extension Scene {
    /// Expects a result, or an entry of one, to have the shape of section 6.7.
    fileprivate func expectShape(_ result: AnyObject?, _ keys: ReturnKeys, isOne: Bool) {
        if keys.count == 0 || (keys.reference && keys.count == 1) {
            return expect(result == nil, "no result for \(keys)")
        }
        if keys.count == 1 && keys.data { return expect(result, is: Data("secret".utf8), "data") }
        if keys.count == 1 && keys.persistentReference {
            return expect((result as? Data)?.count == 20, "a persistent reference of 20 bytes")
        }
        guard let found = result as? [String: Any] else { return expect(false, "\(keys) gives a dictionary") }
        expect((found["v_Data"] != nil) == keys.data, "v_Data for \(keys)")
        expect((found["v_PersistentRef"] != nil) == keys.persistentReference, "v_PersistentRef for \(keys)")
        let hasAttributes = keys.attributes || keys.reference
        expect((found["acct"] != nil) == hasAttributes, "attributes for \(keys)")
        expect((found["class"] != nil) == keys.reference, "class for \(keys)")
        if keys.data { expect(found["v_Data"], is: Data("secret".utf8), "v_Data") }
        if keys.persistentReference { expect((found["v_PersistentRef"] as? Data)?.count == 20, "20 bytes") }
        if keys.reference { expect(found["class"], is: row.itemClass.value, "class") }
        if !hasAttributes {
            let others = Set(found.keys).subtracting(["v_Data", "v_PersistentRef", "class", "v_Ref"])
            expect(others.isEmpty, "nothing else than was asked: \(others.sorted())")
        }
    }
}

extension RowClass {
    /// A key, certificate or identity to store.
    fileprivate func object() throws -> AnyObject {
        let identity = try Papers.made.get().identity
        return switch self {
        case .key: try identity.key
        case .certificate: try identity.certificate
        case .generic, .internet, .identity: identity
        }
    }
}

extension [CFString: Any] {
    /// The dictionary with one more pair.
    func with(_ key: CFString, _ value: Any) -> [CFString: Any] {
        merging([key: value]) { _, new in new }
    }
}
