import Foundation
import Security
import Testing

extension Table {
    /// Synchronizable items on one device, and the tombstones they leave (6.1, 6.5, 6.6).
    static let synchronizable = Table { table in
        table.addFiltersOfSync()
        table.addTombstones()
        table.addProtectionClasses()
    }

    private mutating func addFiltersOfSync() {
        row("6.1", "without kSecAttrSynchronizable only local items are found") { s in
            s.add([kSecAttrSynchronizable: true])
            s.find([:], gives: errSecItemNotFound)
            s.update([:], [:], gives: errSecItemNotFound)
            s.delete([:], gives: errSecItemNotFound)
        }
        row("6.1", "kSecAttrSynchronizable true finds synchronizable items only") { s in
            s.add([kSecAttrAccount: "local"])
            s.add([kSecAttrAccount: "synced", kSecAttrSynchronizable: true])
            s.expect(s.count([kSecAttrSynchronizable: true]) == 1, "one")
            s.expect(s.attributes(of: [kSecAttrSynchronizable: true])["acct"], is: "synced", "account")
        }
        row("6.1", "kSecAttrSynchronizableAny filters nothing") { s in
            s.add([kSecAttrAccount: "a"])
            s.add([kSecAttrAccount: "a", kSecAttrSynchronizable: true])
            s.expect(s.count([kSecAttrSynchronizable: kSecAttrSynchronizableAny]) == 2, "both")
            s.update([kSecAttrSynchronizable: kSecAttrSynchronizableAny], [kSecAttrLabel: "l"])
            s.expect(s.count([kSecAttrLabel: "l", kSecAttrSynchronizable: kSecAttrSynchronizableAny]) == 2, "updated")
            s.delete([kSecAttrSynchronizable: kSecAttrSynchronizableAny])
            s.expect(s.count([kSecAttrSynchronizable: kSecAttrSynchronizableAny]) == 0, "deleted")
        }
        row("5.1", "synchronizability comes back as a number") { s in
            s.add([kSecAttrSynchronizable: true])
            s.expect(s.attributes(of: [kSecAttrSynchronizable: true])["sync"], is: 1, "sync")
        }
        row("6.5", "an update turns a local item into a synchronizable one") { s in
            s.add([kSecValueData: Data("d".utf8)])
            s.update([:], [kSecAttrSynchronizable: true])
            s.find([:], gives: errSecItemNotFound)
            s.expect(s.data(of: [kSecAttrSynchronizable: true]), is: Data("d".utf8), "data")
        }
        row("6.5", "an update turns a synchronizable item into a local one") { s in
            s.add([kSecAttrSynchronizable: true, kSecValueData: Data("d".utf8)])
            s.update([kSecAttrSynchronizable: true], [kSecAttrSynchronizable: false])
            s.find([kSecAttrSynchronizable: true], gives: errSecItemNotFound)
            s.expect(s.data(of: [:]), is: Data("d".utf8), "data")
        }
        row("6.5", "turning synchronizable collides with the synchronizable item of the same name") { s in
            s.add([kSecAttrLabel: "local"])
            s.add([kSecAttrSynchronizable: true])
            s.update([:], [kSecAttrSynchronizable: true], gives: errSecDuplicateItem)
            s.expect(s.attributes(of: [:])["labl"], is: "local", "label")
        }
    }

    private mutating func addTombstones() {
        for keeps in [nil, true, false] as [Bool?] {
            let name = keeps.map { "kSecUseTombstones \($0)" } ?? "no kSecUseTombstones"
            row("6.3, 6.6", "a deleted synchronizable item is gone and can be added again (\(name))") { s in
                var query: [CFString: Any] = [kSecAttrSynchronizable: true]
                if let keeps { query["u_Tomb"] = keeps }
                s.add([kSecAttrSynchronizable: true, kSecAttrLabel: "old", kSecValueData: Data("old".utf8)])
                s.delete(query)
                s.find([kSecAttrSynchronizable: kSecAttrSynchronizableAny], gives: errSecItemNotFound)
                s.delete(query, gives: errSecItemNotFound)
                s.update([kSecAttrSynchronizable: true], [:], gives: errSecItemNotFound)
                s.add([kSecAttrSynchronizable: true])
                let found = s.attributes(of: [kSecAttrSynchronizable: true])
                s.expect(found["labl"] == nil, "nothing of the old item is left")
                s.expect(found["tomb"], is: 0, "tomb")
                s.expect(s.find([kSecAttrSynchronizable: true, kSecReturnData: true]) == nil, "no data")
            }
        }
        row("6.1, 6.4", "kSecAttrTombstone finds tombstones alone, with the primary key and no data") { s in
            let tombstones: [CFString: Any] = [kSecAttrTombstone: true, kSecAttrSynchronizable: true]
            s.add([kSecAttrAccount: "live", kSecAttrSynchronizable: true])
            s.add([
                kSecAttrAccount: "dead", kSecAttrSynchronizable: true, kSecAttrLabel: "l",
                kSecValueData: Data("d".utf8),
            ])
            s.find(tombstones, gives: errSecItemNotFound)
            s.delete([kSecAttrAccount: "dead", kSecAttrSynchronizable: true])
            let found = s.attributes(of: tombstones)
            s.expect(found["acct"], is: "dead", "account")
            s.expect(found["tomb"], is: 1, "tomb")
            s.expect(found["sync"], is: 1, "sync")
            s.expect(found["labl"] == nil, "other attributes are gone")
            s.expect(s.find(tombstones.merging([kSecReturnData: true]) { $1 }) == nil, "no data")
            s.find(
                [kSecAttrTombstone: true, kSecAttrSynchronizable: true, kSecAttrLabel: "l"], gives: errSecItemNotFound)
            s.find([kSecAttrTombstone: true], gives: errSecItemNotFound)
            s.expect(s.count([kSecAttrTombstone: false, kSecAttrSynchronizable: true]) == 1, "live items alone")
        }
        row("6.5, 6.6", "a tombstone is not updated; a delete with kSecAttrTombstone removes it") { s in
            let tombstone: [CFString: Any] = [kSecAttrTombstone: true, kSecAttrSynchronizable: true]
            s.add([kSecAttrSynchronizable: true])
            s.delete([kSecAttrSynchronizable: true])
            s.update(tombstone, [kSecAttrLabel: "l"], gives: errSecItemNotFound)
            s.find(tombstone)
            s.delete(tombstone)
            s.find(tombstone, gives: errSecItemNotFound)
            s.delete(tombstone, gives: errSecItemNotFound)
            s.add([kSecAttrSynchronizable: true])
            s.delete([kSecAttrSynchronizable: true, kSecUseTombstones: false])
            s.find(tombstone, gives: errSecItemNotFound)
        }
        row("6.5", "the old name of a renamed synchronizable item is a tombstone, until it is used again") { s in
            let tombstones: [CFString: Any] = [kSecAttrTombstone: true, kSecAttrSynchronizable: true]
            s.add([kSecAttrAccount: "a", kSecAttrSynchronizable: true])
            s.update([kSecAttrSynchronizable: true], [kSecAttrAccount: "b"])
            s.expect(s.attributes(of: tombstones)["acct"], is: "a", "the old name")
            s.add([kSecAttrAccount: "a", kSecAttrSynchronizable: true])
            s.find(tombstones, gives: errSecItemNotFound)
        }
        row("6.5", "a renamed synchronizable item leaves its old name free") { s in
            s.add([kSecAttrAccount: "a", kSecAttrSynchronizable: true, kSecValueData: Data("1".utf8)])
            s.update([kSecAttrSynchronizable: true], [kSecAttrAccount: "b"])
            s.expect(s.count([kSecAttrSynchronizable: true]) == 1, "one item")
            s.add([kSecAttrAccount: "a", kSecAttrSynchronizable: true, kSecValueData: Data("2".utf8)])
            s.expect(
                s.data(of: [kSecAttrAccount: "b", kSecAttrSynchronizable: true]), is: Data("1".utf8), "renamed item")
        }
        row("6.5", "a synchronizable item can be renamed onto a deleted one") { s in
            s.add([kSecAttrAccount: "a", kSecAttrSynchronizable: true])
            s.add([kSecAttrAccount: "b", kSecAttrSynchronizable: true, kSecValueData: Data("b".utf8)])
            s.delete([kSecAttrAccount: "a", kSecAttrSynchronizable: true])
            s.update([kSecAttrAccount: "b", kSecAttrSynchronizable: true], [kSecAttrAccount: "a"])
            s.expect(s.data(of: [kSecAttrAccount: "a", kSecAttrSynchronizable: true]), is: Data("b".utf8), "data")
            s.expect(s.count([kSecAttrSynchronizable: true]) == 1, "one item")
        }
        row("6.5", "a synchronizable item can be renamed and renamed back") { s in
            s.add([kSecAttrAccount: "a", kSecAttrSynchronizable: true])
            s.update([kSecAttrSynchronizable: true], [kSecAttrAccount: "b"])
            s.update([kSecAttrSynchronizable: true], [kSecAttrAccount: "a"])
            s.expect(s.attributes(of: [kSecAttrSynchronizable: true])["acct"], is: "a", "account")
        }
        row("6.4", "tombstones do not use up a limit") { s in
            s.add([kSecAttrAccount: "a", kSecAttrSynchronizable: true])
            s.delete([kSecAttrAccount: "a", kSecAttrSynchronizable: true])
            s.add([kSecAttrAccount: "b", kSecAttrSynchronizable: true])
            s.expect(s.attributes(of: [kSecAttrSynchronizable: true])["acct"], is: "b", "account")
        }
    }

    private mutating func addProtectionClasses() {
        let data = Data("d".utf8)
        for protection in ["ak", "ck", "dk", "aku", "cku", "dku"] {
            row("0.7, 6.3", "a synchronizable item can be \(protection)") { s in
                s.add([kSecAttrSynchronizable: true, kSecAttrAccessible: protection, kSecValueData: data])
                let found = s.attributes(of: [kSecAttrSynchronizable: true])
                s.expect(found["pdmn"], is: protection, "protection class")
                s.expect(found["sync"], is: 1, "sync")
                s.expect(s.data(of: [kSecAttrSynchronizable: true, kSecAttrAccessible: protection]), is: data, "data")
                s.delete([kSecAttrSynchronizable: true])
                s.find([kSecAttrSynchronizable: kSecAttrSynchronizableAny], gives: errSecItemNotFound)
            }
            row("0.7, 6.5", "a synchronizable item can become \(protection)") { s in
                s.add([kSecAttrSynchronizable: true, kSecValueData: data])
                s.update([kSecAttrSynchronizable: true], [kSecAttrAccessible: protection])
                s.expect(s.attributes(of: [kSecAttrSynchronizable: true])["pdmn"], is: protection, "protection class")
                s.expect(s.data(of: [kSecAttrSynchronizable: true]), is: data, "data")
            }
            row("0.7, 6.5", "an item that is \(protection) can become synchronizable") { s in
                s.add([kSecAttrAccessible: protection, kSecValueData: data])
                s.update([:], [kSecAttrSynchronizable: true])
                s.find([:], gives: errSecItemNotFound)
                s.expect(s.attributes(of: [kSecAttrSynchronizable: true])["pdmn"], is: protection, "protection class")
                s.expect(s.data(of: [kSecAttrSynchronizable: true]), is: data, "data")
            }
        }
        row("0.3, 0.7", "a synchronizable item of akpu needs a passcode, as any does") { s in
            s.add([kSecAttrSynchronizable: true, kSecAttrAccessible: "akpu"], gives: errSecNotAvailable)
        }
    }
}
