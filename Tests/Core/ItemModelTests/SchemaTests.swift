import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

/// Every column of certificates and keys: Reference 5.4 and 5.5.
@Suite struct SchemaTests {
    struct Column: Sendable, CustomTestStringConvertible {
        let name: String
        let kind: AttributeKind
        var defaultValue: PropertyValue?
        var isPrimaryKey = false
        var isPrivate = false
        var itemClass = ItemClass.key

        var testDescription: String { "\(itemClass.rawValue) \(name)" }

        static func key(_ name: String, _ kind: AttributeKind, _ value: PropertyValue?) -> Column {
            Column(name: name, kind: kind, defaultValue: value, isPrimaryKey: true)
        }

        static func other(_ name: String, _ kind: AttributeKind) -> Column {
            Column(name: name, kind: kind)
        }

        /// For Apple's programs alone.
        static func hidden(_ name: String, _ kind: AttributeKind, key: Bool = false) -> Column {
            Column(name: name, kind: kind, isPrimaryKey: key, isPrivate: true)
        }

        func of(_ itemClass: ItemClass) -> Column {
            var column = self
            column.itemClass = itemClass
            return column
        }
    }

    private static let ofEveryClass = [
        Column.other("sha1", .digest), Column.key("vwht", .string, nil), Column.key("tkid", .string, nil),
        Column.hidden("ggrp", .string, key: true), Column.hidden("sysb", .number), Column.hidden("pcss", .number),
        Column.hidden("pcsk", .blob), Column.hidden("pcsi", .blob),
    ]

    private static let certificate = [
        Column.key("ctyp", .number, .integer(0)), Column.other("cenc", .number), Column.other("labl", .blob),
        Column.other("alis", .blob), Column.other("subj", .data), Column.key("issr", .data, .data([])),
        Column.key("slnr", .data, .data([])), Column.other("skid", .data), Column.other("pkhh", .data),
    ]

    private static let key = [
        Column.key("kcls", .number, .integer(0)), Column.other("labl", .blob), Column.other("alis", .blob),
        Column.other("perm", .number), Column.other("priv", .number), Column.other("modi", .number),
        Column.key("klbl", .data, .data([])), Column.key("atag", .blob, .string("")),
        Column.key("crtr", .number, .integer(0)), Column.key("type", .number, .integer(0)),
        Column.key("bsiz", .number, .integer(0)), Column.key("esiz", .number, .integer(0)),
        Column.key("sdat", .date, .date(0)), Column.key("edat", .date, .date(0)), Column.other("sens", .number),
        Column.other("asen", .number), Column.other("extr", .number), Column.other("next", .number),
        Column.other("encr", .number), Column.other("decr", .number), Column.other("drve", .number),
        Column.other("sign", .number), Column.other("vrfy", .number), Column.other("snrc", .number),
        Column.other("vyrc", .number), Column.other("wrap", .number), Column.other("unwp", .number),
    ]

    private static let columns =
        (certificate + ofEveryClass).map { $0.of(.certificate) } + (key + ofEveryClass).map { $0.of(.key) }

    @Test("the column is there, of its kind, with its place in the primary key", arguments: columns)
    func column(_ column: Column) throws {
        let name = try #require(AttributeName(column: column.name))
        let attribute = try #require(ItemSchema.of(column.itemClass)?[name])
        #expect(attribute.kind == column.kind)
        #expect(attribute.isPrimaryKey == column.isPrimaryKey)
        #expect(attribute.defaultValue == column.defaultValue)
        #expect(attribute.isPrivate == column.isPrivate)
    }

    @Test("there is no other column", arguments: [ItemClass.certificate, .key])
    func complete(_ itemClass: ItemClass) throws {
        let schema = try #require(ItemSchema.of(itemClass))
        let expected = Self.columns.filter { $0.itemClass == itemClass }.map(\.name).sorted()
        #expect(schema.attributes.map(\.name.rawValue).sorted() == expected)
    }

    @Test("a find and an add return every column that is set", arguments: ItemSchema.all.map(\.itemClass))
    func returned(_ itemClass: ItemClass) throws {
        let schema = try #require(ItemSchema.of(itemClass))
        let attributes = Dictionary(uniqueKeysWithValues: schema.attributes.map { ($0.name, PropertyValue.data([1])) })
        let item = StoredItem(
            itemClass: itemClass, attributes: attributes, accessGroup: "g", accessible: .whenUnlocked,
            accessControl: AccessControl(protection: .whenUnlocked),
            isSynchronizable: false, creationDate: 0, modificationDate: 0, identifier: [])
        for toFind in [true, false] {
            let returned = item.returnedAttributes(toFind: toFind)
            #expect(schema.attributes.allSatisfy { returned[$0.name] == .data([1]) })
        }
    }

    @Test("an identity has no columns of its own")
    func identity() {
        #expect(ItemSchema.of(.identity)?.attributes == nil)
        #expect(ItemSchema.all.map(\.itemClass) == [.genericPassword, .internetPassword, .certificate, .key])
    }
}
