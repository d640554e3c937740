import Foundation
import Security
import SecurityTesting
import Testing

extension Table {
    /// Primary keys, defaults, and attributes that no app may name (5.1 to 5.3).
    static let keys = Table { table in
        for itemClass in RowClass.stored {
            for column in Column.all(of: itemClass) {
                table.addIdentity(of: column, itemClass, itemClass.source)
            }
            for (other, column) in table.columns(otherThanOf: itemClass) {
                table.row("6.3", "\(column.name) of class \(other.rawValue) is not an attribute", only: itemClass) {
                    s in
                    s.allRefuse([column.key: column.values.0], gives: errSecNoSuchAttr)
                    s.add([kSecAttrLabel: "there"])
                    s.update([:], [column.key: column.values.0], gives: errSecNoSuchAttr)
                }
            }
        }
        table.addGroupsAndSync()
        table.addDefaults()
        table.addPrivateAttributes()
    }

    /// Returns the columns that only other classes have, each once.
    private func columns(otherThanOf itemClass: RowClass) -> [(RowClass, Column)] {
        var names = Set(Column.all(of: itemClass).map(\.name))
        var found: [(RowClass, Column)] = []
        for other in RowClass.stored where other != itemClass {
            for column in Column.all(of: other) where names.insert(column.name).inserted {
                found.append((other, column))
            }
        }
        return found
    }

    private mutating func addIdentity(of column: Column, _ itemClass: RowClass, _ source: String) {
        guard column.isKey else {
            row(source, "\(column.name) does not belong to the primary key", only: itemClass) { s in
                s.add([column.key: column.values.0])
                s.add([column.key: column.values.1], gives: errSecDuplicateItem)
                s.add([:], gives: errSecDuplicateItem)
                s.expect(s.attributes(of: [:])[column.name], is: column.values.0, column.name)
            }
            return
        }
        row(source, "\(column.name) is part of the primary key", only: itemClass) { s in
            s.add([column.key: column.values.0])
            s.add([column.key: column.values.1])
            s.add([:])
            s.expect(s.count([:]) == 3, "three items")
        }
        row(source, "the same \(column.name) collides", only: itemClass) { s in
            s.add([column.key: column.values.0])
            s.add([column.key: column.values.0], gives: errSecDuplicateItem)
        }
        row("6.5", "a changed \(column.name) that collides changes nothing", only: itemClass) { s in
            s.add([column.key: column.values.0, kSecAttrLabel: "first"])
            s.add([column.key: column.values.1, kSecAttrLabel: "second"])
            s.update(
                [column.key: column.values.0], [column.key: column.values.1, kSecAttrLabel: "changed"],
                gives: errSecDuplicateItem)
            s.expect(s.attributes(of: [column.key: column.values.0])["labl"], is: "first", "label")
            s.expect(s.count([kSecAttrLabel: "changed"]) == 0, "nothing changed")
        }
    }

    private mutating func addGroupsAndSync() {
        row("5.1, 15.2", "the protection class does not belong to the primary key") { s in
            s.add([kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock])
            s.add([kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked], gives: errSecDuplicateItem)
        }
        row("5.2, 5.3", "the access group is part of the primary key") { s in
            let both = s.seen(by: s.device.install(s.name, keychainAccessGroups: ["\(s.name).a", "\(s.name).b"]))
            both.add([kSecAttrAccessGroup: "\(s.name).a"])
            both.add([kSecAttrAccessGroup: "\(s.name).b"])
            both.add([kSecAttrAccessGroup: "\(s.name).b"], gives: errSecDuplicateItem)
        }
        row("5.2, 5.3", "synchronizability is part of the primary key") { s in
            s.add([:])
            s.add([kSecAttrSynchronizable: true])
            s.add([kSecAttrSynchronizable: true], gives: errSecDuplicateItem)
            s.expect(s.count([kSecAttrSynchronizable: kSecAttrSynchronizableAny]) == 2, "two items")
        }
        row("5.1", "an item of the other class with the same attributes is another item") { s in
            s.add([kSecAttrAccount: "a"])
            s.add([kSecClass: s.row.itemClass.other.value, kSecAttrAccount: "a"])
        }
        row("5.1", "equal text and Data are the same primary key") { s in
            s.add([kSecAttrAccount: "same"])
            s.add([kSecAttrAccount: Data("same".utf8)], gives: errSecDuplicateItem)
        }
        row("5.1", "an absent view hint and an empty one are different items") { s in
            s.add([:])
            s.add([kSecAttrSyncViewHint: ""])
            s.expect(s.count([:]) == 2, "two items")
        }
    }

    private mutating func addDefaults() {
        let unset: [(RowClass, [String], [String], [String])] = [
            (.generic, ["acct", "svce"], [], []),
            (.internet, ["acct", "sdmn", "srvr", "atyp", "path"], [], ["ptcl", "port"]),
            (.key, ["atag"], ["klbl"], ["kcls", "crtr", "type", "bsiz", "esiz"]),
            (.certificate, [], ["issr", "slnr"], ["ctyp"]),
        ]
        for (itemClass, texts, bytes, numbers) in unset {
            for name in bytes {
                row("0.5, 5.1", "an unset \(name) is empty, and found as such", only: itemClass) { s in
                    s.add([:])
                    s.expect(s.attributes(of: [name as CFString: Data()])[name], is: Data(), name)
                    s.add([name as CFString: Data()], gives: errSecDuplicateItem)
                }
            }
            for name in texts {
                row("0.5, 5.1", "an unset \(name) is the empty string", only: itemClass) { s in
                    s.add([:])
                    s.expect(s.attributes(of: [:])[name], is: "", name)
                }
                row("5.1, 6.3", "an unset \(name) and an empty one are the same item", only: itemClass) { s in
                    s.add([name as CFString: ""])
                    s.add([:], gives: errSecDuplicateItem)
                    s.find([name as CFString: ""])
                }
                row("5.1", "an item whose \(name) is unset is found by the empty string", only: itemClass) { s in
                    s.add([:])
                    s.find([name as CFString: ""])
                }
            }
            for name in numbers {
                row("0.5, 5.1", "an unset \(name) is 0", only: itemClass) { s in
                    s.add([:])
                    s.expect(s.attributes(of: [:])[name], is: 0, name)
                }
                row("5.1", "an unset \(name) and 0 are the same item", only: itemClass) { s in
                    s.add([name as CFString: 0])
                    s.add([:], gives: errSecDuplicateItem)
                    s.find([name as CFString: 0])
                }
            }
            for column in Column.all(of: itemClass) where !column.isKey || column.name == "vwht" {
                row("5.1", "an unset \(column.name) is not in the attributes", only: itemClass) { s in
                    s.add([:])
                    s.expect(s.attributes(of: [:])[column.name] == nil, "\(column.name) is absent")
                }
            }
        }
    }

    private mutating func addPrivateAttributes() {
        for name in ["sysb", "pcss", "pcsk", "pcsi", "ggrp"] {
            row("6.1, 6.11", "\(name) needs a private entitlement") { s in
                s.add([name as CFString: "1"], gives: errSecMissingEntitlement)
            }
        }
        row("6.1", "a sharing group and synchronizability exclude each other") { s in
            s.add(["ggrp": "group", kSecAttrSynchronizable: true], gives: errSecParam)
        }
        row("6.1, 6.5", "a sharing group cannot be changed") { s in
            s.add([:])
            s.update([:], ["ggrp": "group"], gives: errSecParam)
        }
        for name in [
            "volm", "addr", "afps", "subj", "issr", "slnr", "skid", "pkhh", "ctyp", "cenc", "kcls", "klbl",
            "perm", "priv", "modi", "atag", "bsiz", "esiz", "sdat", "edat", "sens", "extr", "encr", "decr", "drve",
            "sign", "vrfy", "wrap", "unwp", "crlt", "crle", "toid", "zzzz", "ACCT", "m_Li",
        ] {
            row("6.1, 6.3, 15.10", "\(name) is not an attribute of a password") { s in
                s.allRefuse([name as CFString: "x"], gives: errSecNoSuchAttr)
                s.add([:])
                s.update([:], [name as CFString: "x"], gives: errSecNoSuchAttr)
            }
        }
        row("6.1", "clip is refused in every dictionary") { s in
            s.allRefuse(["clip": 1], gives: errSecParam)
            s.add([:])
            s.update([:], ["clip": 1], gives: errSecParam)
        }
        row("0.1, 6.1", "musr is ignored") { s in
            s.add(["musr": Data([1, 2, 3])])
            s.find(["musr": Data([9])])
            s.add([:], gives: errSecDuplicateItem)
        }
    }
}
