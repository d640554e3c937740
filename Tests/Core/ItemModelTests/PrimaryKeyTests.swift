import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

/// The attributes that make an item unique: Reference 5.2 to 5.5.
@Suite struct PrimaryKeyTests {
    private static func item(
        _ itemClass: ItemClass = .genericPassword, _ attributes: [String: PropertyValue] = [:], group: String = "g",
        accessible: ProtectionClass = .whenUnlocked, sync: Bool = false, created: Double = 0
    ) -> StoredItem {
        StoredItem(
            itemClass: itemClass, attributes: named(attributes), accessGroup: group,
            accessible: accessible,
            accessControl: AccessControl(protection: .whenUnlocked), isSynchronizable: sync, creationDate: created,
            modificationDate: created,
            identifier: [UInt8](repeating: 0, count: 16))
    }

    private static let sameRows: [(StoredItem, StoredItem)] = [
        (item(), item(accessible: .afterFirstUnlock, created: 7)),
        (item(), item(.genericPassword, ["acct": .string(""), "svce": .data([])])),
        (
            item(.genericPassword, ["labl": .string("x")]),
            item(.genericPassword, ["labl": .string("y"), "gena": .data([1])])
        ),
        (item(.genericPassword, ["acct": .string("a")]), item(.genericPassword, ["acct": .data([0x61])])),
        (
            item(.internetPassword),
            item(.internetPassword, ["port": .integer(0), "ptcl": .integer(0), "path": .string("")])
        ),
        (
            item(.key, ["type": .string("73")]),
            item(.key, ["type": .integer(73), "sdat": .date(0), "klbl": .data([]), "sign": .integer(1)])
        ),
        (item(.certificate), item(.certificate, ["pkhh": .data([1]), "subj": .data([2]), "issr": .data([])])),
    ]

    @Test(
        "protection, dates and other attributes do not belong to the key, and unset parts have their defaults",
        arguments: sameRows)
    func same(_ left: StoredItem, _ right: StoredItem) {
        #expect(left.primaryKeyBytes == right.primaryKeyBytes)
    }

    private static let differentRows: [(StoredItem, StoredItem)] = [
        (item(), item(group: "h")),
        (item(), item(sync: true)),
        (item(), item(.genericPassword, ["vwht": .string("")])),
        (item(), item(.genericPassword, ["ggrp": .string("")])),
        (
            item(.genericPassword, ["acct": .string("ab"), "svce": .string("c")]),
            item(.genericPassword, ["acct": .string("a"), "svce": .string("bc")])
        ),
        (item(.genericPassword, ["acct": .string("x")]), item(.genericPassword, ["svce": .string("x")])),
        (item(.genericPassword, ["acct": .string("x")], group: ""), item(.genericPassword, [:], group: "x")),
        (item(.internetPassword, ["port": .integer(80)]), item(.internetPassword, ["ptcl": .integer(80)])),
        (item(.genericPassword, ["tkid": .string("t")]), item(.genericPassword, ["vwht": .string("t")])),
        (item(.key, ["kcls": .integer(1)]), item(.key)),
        (item(.key, ["bsiz": .integer(256)]), item(.key, ["esiz": .integer(256)])),
        (item(.key, ["sdat": .date(1)]), item(.key, ["edat": .date(1)])),
        (item(.key, ["klbl": .data([1])]), item(.key, ["atag": .data([1])])),
        (item(.certificate, ["issr": .data([1])]), item(.certificate, ["slnr": .data([1])])),
    ]

    @Test("every part of the key counts, in its own place", arguments: differentRows)
    func different(_ left: StoredItem, _ right: StoredItem) {
        #expect(left.primaryKeyBytes != right.primaryKeyBytes)
    }

    private static let partsRows: [(ItemClass, Set<String>)] = [
        (.genericPassword, ["acct", "svce", "vwht", "tkid", "ggrp"]),
        (.internetPassword, ["acct", "sdmn", "srvr", "ptcl", "atyp", "port", "path", "vwht", "tkid", "ggrp"]),
        (.certificate, ["ctyp", "issr", "slnr", "vwht", "tkid", "ggrp"]),
        (
            .key,
            [
                "kcls", "klbl", "atag", "crtr", "type", "bsiz", "esiz", "sdat", "edat", "vwht", "tkid", "ggrp",
            ]
        ),
    ]

    @Test("the schema names the parts besides group, synchronizability and user", arguments: partsRows)
    func parts(_ itemClass: ItemClass, _ names: Set<String>) throws {
        let schema = try #require(ItemSchema.of(itemClass))
        #expect(Set(schema.primaryKey.map(\.name.rawValue)) == names)
    }

    @Test("the bytes are each part behind a mark and its length, then group and synchronizability")
    func layout() {
        let bytes = Self.item(.genericPassword, ["acct": .string("a")], group: "gg", sync: true).primaryKeyBytes
        // vwht, tkid and ggrp are absent; acct is "a"; svce has its default, the empty text.
        let expected: [UInt8] =
            [0, 0, 0] + [1, 0, 0, 0, 1, 0x61] + [1, 0, 0, 0, 0] + [1, 0, 0, 0, 2, 0x67, 0x67] + [1]
        #expect(bytes == expected)
    }
}
