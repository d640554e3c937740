import Foundation
import Security
import SecurityTesting
import Testing

extension Table {
    /// Persistent references, given and returned (6.1, 6.3, 6.5, 6.8).
    static let references = Table { table in
        table.addForms()
        table.addLookups()
        table.addLives()
    }

    private mutating func addForms() {
        row("6.8", "a reference is the class and 16 bytes") { s in
            s.add([:])
            let reference = s.reference(of: [:])
            s.expect(reference.count == 20, "20 bytes")
            s.expect(reference.prefix(4) == Data(s.row.itemClass.rawValue.utf8), "class text")
        }
        row("6.8", "add and find return the same reference") { s in
            let added = s.add([kSecReturnPersistentRef: true])
            s.expect(added, is: s.reference(of: [:]), "reference")
        }
        row("6.8", "two items have two references") { s in
            s.add([kSecAttrAccount: "a"])
            s.add([kSecAttrAccount: "b"])
            s.expect(s.reference(of: [kSecAttrAccount: "a"]) != s.reference(of: [kSecAttrAccount: "b"]), "different")
        }
        for count in [0, 1, 3, 4, 11, 13, 16, 19, 21, 64] {
            row("6.1, 6.8", "a reference of \(count) bytes is malformed") { s in
                let bytes = (Data(s.row.itemClass.rawValue.utf8) + Data(count: 60)).prefix(count)
                let reference = Data(bytes)
                let query: NSDictionary = [kSecValuePersistentRef: reference]
                s.findExactly(query, gives: errSecParam)
                s.delete([kSecValuePersistentRef: reference], gives: errSecParam)
            }
        }
        for name in ["zzzz", "apls", "GENP", "\0\0\0\0"] {
            row("6.8", "a reference of the class “\(name)” is malformed") { s in
                let reference = Data(name.utf8) + Data(count: 16)
                s.findExactly([kSecValuePersistentRef: reference] as NSDictionary, gives: errSecParam)
            }
        }
        for sample in [Sample("String") { "genp" }, Sample("Number") { 5 }, Sample("null") { NSNull() }] {
            row("6.1, 6.8", "a reference that is \(sample.name) is refused") { s in
                s.find([kSecValuePersistentRef: sample.make()], gives: errSecParam)
            }
        }
        row("6.3", "a reference as input of an add is refused") { s in
            s.add([kSecAttrAccount: "a"])
            let reference = s.reference(of: [:])
            s.add([kSecValuePersistentRef: reference, kSecAttrAccount: "b"], gives: errSecParam)
            let rowForm = Data(s.row.itemClass.rawValue.utf8) + Data(count: 8)
            s.add([kSecValuePersistentRef: rowForm, kSecAttrAccount: "b"], gives: errSecParam)
            s.expect(s.count([:]) == 1, "nothing stored")
        }
    }

    private mutating func addLookups() {
        row("6.1, 6.8", "a reference finds its item without a class") { s in
            s.add([kSecAttrAccount: "a", kSecValueData: Data("x".utf8)])
            s.add([kSecAttrAccount: "b", kSecValueData: Data("y".utf8)])
            let query: NSDictionary = [
                kSecValuePersistentRef: s.reference(of: [kSecAttrAccount: "b"]), kSecReturnData: true,
            ]
            s.expect(s.findExactly(query), is: Data("y".utf8), "data")
        }
        row("6.1", "a reference and its class agree") { s in
            s.add([kSecAttrAccount: "a"])
            s.find([kSecValuePersistentRef: s.reference(of: [:])])
        }
        row("6.1", "a reference and another class do not agree") { s in
            s.add([:])
            let query: [CFString: Any] = [
                kSecValuePersistentRef: s.reference(of: [:]), kSecClass: s.row.itemClass.other.value,
            ]
            s.find(query, gives: errSecNoSuchClass)
            s.update(query, [:], gives: errSecNoSuchClass)
            s.delete(query, gives: errSecNoSuchClass)
        }
        row("6.8", "an unknown reference is not found") { s in
            let reference = Data(s.row.itemClass.rawValue.utf8) + Data(repeating: 7, count: 16)
            s.find([kSecValuePersistentRef: reference], gives: errSecItemNotFound)
            s.update([kSecValuePersistentRef: reference], [:], gives: errSecItemNotFound)
            s.delete([kSecValuePersistentRef: reference], gives: errSecItemNotFound)
        }
        row("6.8", "a reference to another app's item is not found") { s in
            let other = s.seen(by: s.device.install(s.name + ".other"))
            other.add([:])
            let reference = other.reference(of: [:])
            s.find([kSecValuePersistentRef: reference], gives: errSecItemNotFound)
            s.update([kSecValuePersistentRef: reference], [:], gives: errSecItemNotFound)
            s.delete([kSecValuePersistentRef: reference], gives: errSecItemNotFound)
            s.expect(other.count([:]) == 1, "still there")
        }
        for name in ["acct", "labl", "agrp", "sync", "pdmn"] {
            row("6.1", "a find by reference takes no \(name) besides") { s in
                s.add([kSecAttrAccount: "a"])
                let found = s.attributes(of: [:])
                let value = found[name] ?? "x"
                s.find([kSecValuePersistentRef: s.reference(of: [:]), name as CFString: value], gives: errSecParam)
            }
        }
        row("6.1", "an update by reference also asks for the attributes beside it") { s in
            s.add([kSecAttrAccount: "a"])
            let reference = s.reference(of: [:])
            s.update([kSecValuePersistentRef: reference, kSecAttrAccount: "b"], [:], gives: errSecItemNotFound)
            s.update([kSecValuePersistentRef: reference, kSecAttrAccount: "a"], [kSecAttrLabel: "l"])
            s.expect(s.attributes(of: [:])["labl"], is: "l", "label")
        }
        row("6.1", "a delete by reference also asks for the attributes beside it") { s in
            s.add([kSecAttrAccount: "a"])
            let reference = s.reference(of: [:])
            s.delete([kSecValuePersistentRef: reference, kSecAttrAccount: "b"], gives: errSecItemNotFound)
            s.delete([kSecValuePersistentRef: reference, kSecAttrAccount: "a"])
            s.expect(s.count([:]) == 0, "deleted")
        }
        row("6.1, 6.5", "the row form takes no attributes in an update or a delete") { s in
            s.add([kSecAttrAccount: "a"])
            let reference = Data(s.row.itemClass.rawValue.utf8) + Data([0, 0, 0, 0, 0, 0, 0, 1])
            s.update([kSecValuePersistentRef: reference, kSecAttrAccount: "a"], [:], gives: errSecParam)
            s.delete([kSecValuePersistentRef: reference, kSecAttrAccount: "a"], gives: errSecParam)
        }
        row("6.1", "a reference finds a synchronizable item without asking for it") { s in
            s.add([kSecAttrSynchronizable: true, kSecAttrAccount: "a"])
            let reference = s.reference(of: [kSecAttrSynchronizable: true])
            s.expect(s.attributes(of: [kSecValuePersistentRef: reference])["sync"], is: 1, "sync")
        }
        row("6.8", "a find by reference returns every shape") { s in
            s.add([kSecAttrAccount: "a", kSecValueData: Data("x".utf8)])
            let reference = s.reference(of: [:])
            s.expect(s.data(of: [kSecValuePersistentRef: reference]), is: Data("x".utf8), "data")
            s.expect(s.reference(of: [kSecValuePersistentRef: reference]) == reference, "reference")
            let all = s.find([
                kSecValuePersistentRef: reference, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
            ])
            s.expect((all as? [Any])?.count == 1, "an array of one")
        }
    }

    private mutating func addLives() {
        row("6.5, 6.8, 15.21", "a reference survives a change of primary key") { s in
            s.add([kSecAttrAccount: "a"])
            let reference = s.reference(of: [:])
            s.update([:], [kSecAttrAccount: "b", kSecValueData: Data("x".utf8)])
            s.expect(s.attributes(of: [kSecValuePersistentRef: reference])["acct"], is: "b", "account")
            s.expect(s.reference(of: [:]) == reference, "the same reference")
        }
        row("6.5, 6.8", "a reference survives a change of protection class") { s in
            s.add([kSecAttrAccessible: "ak"])
            let reference = s.reference(of: [:])
            s.update([kSecValuePersistentRef: reference], [kSecAttrAccessible: "ck"])
            s.expect(s.attributes(of: [kSecValuePersistentRef: reference])["pdmn"], is: "ck", "pdmn")
        }
        row("6.5, 6.8", "a synchronizable item keeps its reference when its primary key changes") { s in
            s.add([kSecAttrAccount: "a", kSecAttrSynchronizable: true])
            let reference = s.reference(of: [kSecAttrSynchronizable: true])
            s.update([kSecAttrSynchronizable: true], [kSecAttrAccount: "b"])
            s.expect(s.attributes(of: [kSecValuePersistentRef: reference])["acct"], is: "b", "account")
        }
        row("6.8", "a deleted item's reference is not found") { s in
            s.add([:])
            let reference = s.reference(of: [:])
            s.delete([kSecValuePersistentRef: reference])
            s.find([kSecValuePersistentRef: reference], gives: errSecItemNotFound)
        }
        row("6.8", "a deleted synchronizable item's reference is not found") { s in
            s.add([kSecAttrSynchronizable: true])
            let reference = s.reference(of: [kSecAttrSynchronizable: true])
            s.delete([kSecValuePersistentRef: reference])
            s.find([kSecValuePersistentRef: reference], gives: errSecItemNotFound)
        }
        row("6.8", "an item that was deleted and added has a new reference") { s in
            s.add([kSecAttrAccount: "a"])
            let reference = s.reference(of: [:])
            s.delete([:])
            s.add([kSecAttrAccount: "a"])
            s.expect(s.reference(of: [:]) != reference, "another reference")
            s.find([kSecValuePersistentRef: reference], gives: errSecItemNotFound)
        }
    }
}
