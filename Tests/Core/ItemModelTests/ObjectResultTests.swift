import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

/// The results of finds of keys, certificates and identities: Reference 5.6 and 6.7.
@Suite struct ObjectResultTests {
    private static func item(
        _ itemClass: ItemClass, _ attributes: [String: PropertyValue], group: String, accessible: ProtectionClass,
        number: UInt8
    ) -> StoredItem {
        StoredItem(
            itemClass: itemClass, attributes: named(attributes), accessGroup: group,
            accessible: accessible,
            accessControl: AccessControl(protection: accessible), isSynchronizable: number == 1,
            creationDate: Double(number),
            modificationDate: Double(number) + 0.5, identifier: [UInt8](repeating: number, count: 16))
    }

    private static let key = item(
        .key,
        [
            "kcls": .integer(1), "klbl": .data([5]), "labl": .string("the key"), "atag": .string("tag"),
            "alis": .string("alias of the key"), "sha1": .data([1]), "tkid": .string("com.apple.setoken"),
        ], group: "k", accessible: .whenUnlocked, number: 1)
    private static let certificate = item(
        .certificate,
        ["labl": .string("the certificate"), "issr": .data([7]), "pkhh": .data([5]), "sha1": .data([2])], group: "c",
        accessible: .always, number: 2)

    private static let object = PropertyValue.reference(kind: "SecKey", bytes: [1])
    private static let secret = PropertyValue.secret(0)

    private static let rows: [(returns: ItemQuery.Returns, keys: Set<String>)] = [
        ([.reference, .attributes], ["v_Ref", "class"]),
        ([.reference, .data], ["v_Ref", "v_Data", "class"]),
        ([.reference, .persistentReference], ["v_Ref", "v_PersistentRef", "class"]),
        ([.reference, .data, .persistentReference], ["v_Ref", "v_Data", "v_PersistentRef", "class"]),
        ([.data, .persistentReference], ["v_Data", "v_PersistentRef"]),
    ]

    @Test("a reference with anything else is a dictionary with class, attributes and object", arguments: rows)
    func dictionaries(_ row: (returns: ItemQuery.Returns, keys: Set<String>)) throws {
        let shape = ResultShape(returns: row.returns, limit: nil, itemClass: .key)
        let entry = shape.entry(for: Self.key, data: Self.secret, reference: Self.object, toFind: true)
        guard case .dictionary(let dictionary)? = entry else {
            Issue.record("no dictionary")
            return
        }
        let attributes = row.returns.contains(.reference) ? Self.key.returnedAttributes(toFind: true) : [:]
        #expect(Set(dictionary.keys) == row.keys.union(attributes.keys))
        for (name, value) in attributes { #expect(dictionary[name] == value) }
        #expect(dictionary["v_Ref"] == (row.keys.contains("v_Ref") ? Self.object : nil))
        #expect(dictionary["class"] == (row.keys.contains("class") ? .string("keys") : nil))
    }

    @Test("a reference alone is the object, in a list too")
    func objects() {
        for limit in [nil, ItemQuery.Limit.one] {
            let shape = ResultShape(returns: .reference, limit: limit, itemClass: .certificate)
            let entry = shape.entry(for: Self.certificate, data: Self.secret, reference: Self.object, toFind: true)
            #expect(shape.result(of: [entry]) == Self.object)
        }
        let shape = ResultShape(returns: .reference, limit: .all, itemClass: .key)
        let entry = shape.entry(for: Self.key, data: nil, reference: Self.object, toFind: true)
        #expect(shape.result(of: [entry, nil, entry]) == .array([Self.object, Self.object]))
    }

    @Test("attributes alone show neither class nor data of a key")
    func attributes() {
        let shape = ResultShape(returns: .attributes, limit: nil, itemClass: .key)
        let entry = shape.entry(for: Self.key, data: Self.secret, reference: Self.object, toFind: true)
        #expect(entry == .dictionary(Self.key.returnedAttributes(toFind: true)))
    }

    @Test("a key that shows no data has none in a dictionary, and is left out of a list of data")
    func withoutData() {
        let list = ResultShape(returns: .data, limit: .all, itemClass: .key)
        #expect(list.result(of: [list.entry(for: Self.key, data: nil, toFind: true)]) == .array([]))
        let both = ResultShape(returns: [.data, .reference], limit: nil, itemClass: .key)
        let entry = both.entry(for: Self.key, data: nil, reference: Self.object, toFind: true)
        let expected = Self.key.returnedAttributes(toFind: true)
            .merging(["class": .string("keys"), "v_Ref": Self.object]) { $1 }
        #expect(entry == .dictionary(expected))
    }

    private static let needsRows: [(ItemClass, ItemQuery.Returns, data: Bool, reference: Bool)] = [
        (.key, .reference, true, true), (.certificate, [.reference, .attributes], true, true),
        (.identity, .reference, true, true), (.identity, .attributes, false, false), (.key, .data, true, false),
        (.certificate, .persistentReference, false, false), (.genericPassword, .reference, false, false),
        (.internetPassword, [.reference, .data], true, false),
    ]

    @Test("objects are made from opened data", arguments: needsRows)
    func needs(_ itemClass: ItemClass, _ returns: ItemQuery.Returns, data: Bool, reference: Bool) {
        let shape = ResultShape(returns: returns, limit: .all, itemClass: itemClass)
        #expect(shape.needsData == data)
        #expect(shape.needsReference == reference)
    }

    // MARK: Identities

    @Test("the attributes of an identity are the key's, with the certificate's over them")
    func overlay() {
        let identity = StoredItem.identity(key: Self.key, certificate: Self.certificate)
        #expect(
            identity.returnedAttributes(toFind: true) == [
                "kcls": .integer(1), "klbl": .data([5]), "atag": .string("tag"), "alis": .string("alias of the key"),
                "labl": .string("the certificate"), "issr": .data([7]), "pkhh": .data([5]), "sha1": .data([2]),
                "tkid": .string("com.apple.setoken"), "agrp": .string("c"), "pdmn": .string("dk"),
                "accc": .reference(kind: "SecAccessControl", bytes: AccessControl(protection: .always).serialised),
                "sync": .integer(0), "cdat": .date(2),
                "mdat": .date(2.5), "musr": .data([]), "tomb": .integer(0),
            ])
        #expect(identity.persistentReference == Array("idnt".utf8) + [UInt8](repeating: 2, count: 16))
    }

    @Test("the token of the certificate is named apart")
    func tokenOfCertificate() {
        var certificate = Self.certificate
        certificate.attributes[.tokenID] = .string("t")
        let attributes = StoredItem.identity(key: Self.key, certificate: certificate).attributes
        #expect(attributes[.certificateTokenID] == .string("t"))
        #expect(attributes[.tokenID] == .string("t"))
    }

    private static let identityRows: [(returns: ItemQuery.Returns, more: [String: PropertyValue])] = [
        (.attributes, [:]), ([.attributes, .data], ["v_Data": secret, "certdata": .secret(1)]),
        ([.attributes, .reference], ["v_Ref": object]),
    ]

    @Test(
        "an identity names its class in every dictionary, and has the certificate beside the key",
        arguments: identityRows)
    func identityDictionaries(_ row: (returns: ItemQuery.Returns, more: [String: PropertyValue])) {
        let identity = StoredItem.identity(key: Self.key, certificate: Self.certificate)
        let shape = ResultShape(returns: row.returns, limit: nil, itemClass: .identity)
        let entry = shape.entry(
            for: identity, data: Self.secret, certificateData: .secret(1), reference: Self.object, toFind: true)
        let expected = identity.returnedAttributes(toFind: true).merging(row.more) { $1 }
        #expect(entry == .dictionary(expected.merging(["class": .string("idnt")]) { $1 }))
    }
}
