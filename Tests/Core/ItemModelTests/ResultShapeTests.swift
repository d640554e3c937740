import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

/// The shape of a result: Reference 6.7.
@Suite struct ResultShapeTests {
    private static let item = StoredItem(
        itemClass: .genericPassword, attributes: [.account: .string("a"), .service: .string("s")], accessGroup: "g",
        accessible: .whenUnlocked, accessControl: AccessControl(protection: .whenUnlocked), isSynchronizable: false,
        creationDate: 1, modificationDate: 2,
        identifier: [UInt8](repeating: 9, count: 16))
    private static let reference = PropertyValue.data(Array("genp".utf8) + [UInt8](repeating: 9, count: 16))
    private static let attributes: [String: PropertyValue] = [
        "acct": .string("a"), "svce": .string("s"), "agrp": .string("g"), "pdmn": .string("ak"),
        "accc": .reference(
            kind: "SecAccessControl", bytes: AccessControl(protection: .whenUnlocked).serialised), "sync": .integer(0),
        "cdat": .date(1),
        "mdat": .date(2), "musr": .data([]), "tomb": .integer(0),
    ]

    private static func with(_ more: [String: PropertyValue], attributes wanted: Bool = true) -> PropertyValue {
        .dictionary((wanted ? attributes : [:]).merging(more) { $1 })
    }

    private static let secret = PropertyValue.secret(0)
    private static let singleRows: [(returns: ItemQuery.Returns, entry: PropertyValue?)] = [
        ([], nil),
        (.data, secret),
        (.attributes, .dictionary(attributes)),
        (.persistentReference, reference),
        (.reference, nil),
        ([.data, .attributes], with(["v_Data": secret])),
        ([.data, .persistentReference], with(["v_Data": secret, "v_PersistentRef": reference], attributes: false)),
        ([.attributes, .persistentReference], with(["v_PersistentRef": reference])),
        ([.reference, .attributes], with(["class": .string("genp")])),
        ([.reference, .data], with(["class": .string("genp"), "v_Data": secret])),
        ([.reference, .persistentReference], with(["class": .string("genp"), "v_PersistentRef": reference])),
        (
            [.reference, .data, .persistentReference],
            with(["class": .string("genp"), "v_Data": secret, "v_PersistentRef": reference])
        ),
        ([.data, .attributes, .persistentReference], with(["v_Data": secret, "v_PersistentRef": reference])),
        (
            [.data, .attributes, .reference, .persistentReference],
            with(["v_Data": secret, "v_PersistentRef": reference, "class": .string("genp")])
        ),
    ]

    @Test("one item in each combination of return keys", arguments: singleRows)
    func single(_ row: (returns: ItemQuery.Returns, entry: PropertyValue?)) {
        for limit in [nil, ItemQuery.Limit.one] {
            let shape = ResultShape(returns: row.returns, limit: limit, itemClass: .genericPassword)
            let entry = shape.entry(for: Self.item, data: Self.secret, toFind: true)
            #expect(shape.result(of: [entry]) == row.entry)
        }
    }

    @Test("several items in each combination are a list; what shows nothing is left out", arguments: singleRows)
    func list(_ row: (returns: ItemQuery.Returns, entry: PropertyValue?)) {
        for limit in [ItemQuery.Limit.all, .count(2)] {
            let shape = ResultShape(returns: row.returns, limit: limit, itemClass: .genericPassword)
            let entry = shape.entry(for: Self.item, data: Self.secret, toFind: true)
            #expect(shape.result(of: [entry, entry]) == .array(row.entry.map { [$0, $0] } ?? []))
        }
    }

    @Test("an item without data is left out of a list of data and has no v_Data in a dictionary")
    func withoutData() {
        let list = ResultShape(returns: .data, limit: .all, itemClass: .genericPassword)
        let nothing = list.entry(for: Self.item, data: nil, toFind: true)
        #expect(list.result(of: [Self.secret, nothing]) == .array([Self.secret]))
        let both = ResultShape(returns: [.data, .attributes], limit: .one, itemClass: .genericPassword)
        #expect(both.result(of: [both.entry(for: Self.item, data: nil, toFind: true)]) == .dictionary(Self.attributes))
    }

    @Test("an add shows neither user nor tombstone mark")
    func addedAttributes() {
        let shape = ResultShape(returns: .attributes, limit: nil, itemClass: .genericPassword)
        var expected = Self.attributes
        expected["musr"] = nil
        expected["tomb"] = nil
        #expect(shape.entry(for: Self.item, data: nil, toFind: false) == .dictionary(expected))
    }

    private static let needs: [(ItemQuery.Returns, Bool)] = [
        (.attributes, false), ([.attributes, .data], true), ([], false), (.reference, false),
    ]

    @Test("only data asks for secrets", arguments: needs)
    func secrets(_ returns: ItemQuery.Returns, _ needed: Bool) {
        #expect(ResultShape(returns: returns, limit: .all, itemClass: .genericPassword).needsData == needed)
    }
}
