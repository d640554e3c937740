import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

/// Queries for keys, certificates and identities: Reference 5.4 to 5.6, 6.4 and 6.9.
@Suite struct KeyAndCertificateGrammarTests {
    private static let calls: [QueryGrammar.Call] = [.add, .find, .update, .delete]
    private static let identity = PropertyValue.dictionary([
        "cert": .dictionary(["labl": .string("l")]), "keys": .dictionary(["klbl": .data([1])]),
    ])

    private static func of(
        _ itemClass: String, _ name: String, _ call: QueryGrammar.Call, _ pairs: [String: PropertyValue],
        _ code: ResultCode, _ rule: Rule
    ) -> GrammarCase {
        GrammarCase("\(itemClass), \(name)", call, pairs, code, rule, itemClass: .string(itemClass))
    }

    private static let refusedRows: [GrammarCase] =
        calls.flatMap { call in
            [
                of(
                    "keys", "an attribute of certificates", call, ["issr": .data([1])], .noSuchAttr, .unknownAttribute
                ),
                of("keys", "an attribute of passwords", call, ["acct": .string("a")], .noSuchAttr, .unknownAttribute),
                of("cert", "an attribute of keys", call, ["klbl": .data([1])], .noSuchAttr, .unknownAttribute),
                of("cert", "the object of a token", call, ["toid": .data([1])], .noSuchAttr, .unknownAttribute),
                of("genp", "the object of a token", call, ["toid": .data([1])], .noSuchAttr, .unknownAttribute),
                of("keys", "an object that is text", call, ["toid": .string("x")], .param, .valueKind),
                of("keys", "an object of no token", call, ["toid": .data([1])], .param, .tokenObjectAlone),
                of("keys", "a start that is a number", call, ["sdat": .integer(0)], .param, .valueKind),
                of("keys", "a size that is data", call, ["bsiz": .data([1])], .param, .valueKind),
                of("cert", "an issuer that is a Boolean", call, ["issr": .boolean(true)], .param, .valueKind),
                of("keys", "a plaintext key", call, ["pcsk": .data([1])], .missingEntitlement, .privateAttribute),
                of(
                    "keys", "a key as reference", call, ["v_Ref": .reference(kind: "SecKey", bytes: [])], .param,
                    .valueKind),
                of("cert", "an identity as reference", call, ["v_Ref": identity], .param, .valueKind),
            ]
        }
        + [.find, .update, .delete].flatMap { call in
            [
                of("idnt", "an attribute of passwords", call, ["acct": .string("a")], .noSuchAttr, .unknownAttribute),
                of("idnt", "an attribute of nothing", call, ["zzzz": .string("a")], .noSuchAttr, .unknownAttribute),
                of("idnt", "a label that is null", call, ["labl": .null], .param, .valueKind),
                of("idnt", "a key's size that is data", call, ["bsiz": .data([1])], .param, .valueKind),
                of("idnt", "an identity as reference", call, ["v_Ref": identity], .param, .valueKind),
            ]
        } + [
            of("idnt", "no reference", .add, ["labl": .string("x")], .param, .identityWithoutReference),
            of(
                "idnt", "a reference of one half", .add, ["v_Ref": .dictionary(["cert": .dictionary([:])])], .param,
                .valueKind),
            of(
                "idnt", "a reference of other halves", .add,
                ["v_Ref": .dictionary(["cert": .dictionary([:]), "keys": .data([1])])], .param, .valueKind),
            of(
                "idnt", "a key as reference", .add, ["v_Ref": .reference(kind: "SecKey", bytes: [])], .param,
                .valueKind),
            of(
                "idnt", "data beside the reference", .add, ["v_Ref": identity, "v_Data": .secret(0)], .param,
                .keyNotAllowedHere),
        ]

    @Test("what does not belong to the class is refused", arguments: refusedRows)
    func refused(_ row: GrammarCase) {
        #expect(
            Answer { () throws(QueryRefusal) in _ = try QueryGrammar.query(row.pairs, for: row.call) }
                == Answer(row.code, row.rule))
    }

    private static let takenRows: [(itemClass: String, name: String, given: PropertyValue, stored: PropertyValue)] = [
        ("keys", "kcls", .string("1"), .integer(1)), ("keys", "kcls", .integer(1), .integer(1)),
        ("keys", "type", .string("73"), .integer(73)), ("keys", "type", .string("2147483678"), .integer(2_147_483_678)),
        ("keys", "bsiz", .string("256"), .integer(256)), ("keys", "crtr", .integer(5), .integer(5)),
        ("keys", "klbl", .string("é"), .data([0xC3, 0xA9])), ("keys", "klbl", .data([1]), .data([1])),
        ("keys", "atag", .string("t"), .string("t")), ("keys", "atag", .data([1]), .data([1])),
        ("keys", "sign", .boolean(true), .integer(1)), ("keys", "sdat", .date(5), .date(5)),
        ("cert", "issr", .data([1]), .data([1])), ("cert", "ctyp", .integer(3), .integer(3)),
        ("cert", "labl", .string("l"), .string("l")), ("cert", "slnr", .string("1"), .data([0x31])),
    ]

    @Test("a value is kept as its column stores it", arguments: takenRows)
    func taken(_ row: (itemClass: String, name: String, given: PropertyValue, stored: PropertyValue)) throws {
        for call in Self.calls {
            let query = try QueryGrammar.query(
                pairs(["class": .string(row.itemClass), row.name: row.given]), for: call)
            #expect(query.attributes.byColumn == [row.name: row.stored])
        }
    }

    @Test("the object of a token stands beside its token", arguments: calls)
    func tokenObject(_ call: QueryGrammar.Call) throws {
        let query = try QueryGrammar.query(
            pairs(["class": .string("keys"), "tkid": .string("t"), "toid": .data([1, 2])]), for: call)
        #expect(query.tokenObject == [1, 2])
        #expect(query.attributes == [.tokenID: .string("t")])
    }

    @Test("an identity is added by a reference of both halves")
    func identityReference() throws {
        let query = try QueryGrammar.query(
            pairs(["class": .string("idnt"), "v_Ref": Self.identity, "labl": .string("l"), "atag": .string("t")]),
            for: .add)
        #expect(query.reference == Self.identity)
        #expect(query.attributes == [.label: .string("l"), .applicationTag: .string("t")])
    }

    // MARK: The sides of an identity

    @Test("the attributes of an identity are sorted into those of its certificate and those of its key")
    func sides() throws {
        let query = try QueryGrammar.query(
            pairs([
                "class": .string("idnt"), "labl": .string("l"), "issr": .data([1]), "slnr": .data([2]),
                "skid": .data([3]), "tkid": .string("t"), "subj": .data([4]), "klbl": .data([5]), "atag": .string("a"),
                "alis": .string("x"), "kcls": .string("1"), "agrp": .string("g"), "sync": .boolean(true),
                "pdmn": .string("ak"), "cdat": .date(1), "m_EmailAddressIfPresent": .string("a@b"), "toid": .data([6]),
            ]), for: .find)
        let (certificate, key) = (query.certificateSide, query.keySide)
        #expect(certificate.itemClass == .certificate)
        #expect(
            certificate.attributes.byColumn == [
                "labl": .string("l"), "issr": .data([1]), "slnr": .data([2]), "skid": .data([3]), "tkid": .string("t"),
                "subj": .data([4]),
            ])
        #expect(certificate.synchronizable == .any)
        #expect(certificate.accessible == nil)
        #expect(certificate.creationDate == nil)
        #expect(certificate.tokenObject == nil)
        #expect(certificate.emailAddress == "a@b")
        #expect(key.itemClass == .key)
        #expect(
            key.attributes.byColumn == [
                "klbl": .data([5]), "atag": .string("a"), "alis": .string("x"), "kcls": .integer(1),
                "priv": .integer(1),
            ])
        #expect(key.synchronizable == .synchronizable)
        #expect(key.accessible == .whenUnlocked)
        #expect(key.creationDate == 1)
        #expect(key.tokenObject == [6])
        #expect(!key.matchesCertificates)
        #expect([certificate.accessGroup, key.accessGroup] == ["g", "g"])
        #expect(query.namesCertificate)
    }

    @Test("the reference of an identity is that of its certificate, and says nothing of the key", arguments: [20, 12])
    func referenceOfIdentity(_ byteCount: Int) throws {
        let bytes = [UInt8](repeating: 7, count: byteCount - 4)
        let query = try QueryGrammar.query(pairs(["v_PersistentRef": .data(Array("idnt".utf8) + bytes)]), for: .find)
        #expect(query.certificateSide.persistentReference == PersistentReference(Array("cert".utf8) + bytes))
        #expect(query.keySide.persistentReference == nil)
        #expect(query.keySide.synchronizable == .any)
        #expect(query.namesCertificate)
    }

    @Test("a query that says nothing of the certificate is of the key")
    func keyAlone() throws {
        let query = try QueryGrammar.query(pairs(["class": .string("idnt"), "atag": .string("a")]), for: .find)
        #expect(!query.namesCertificate)
        #expect(query.keySide.synchronizable == nil)
        #expect(query.certificateSide.attributes.isEmpty)
    }

    @Test("the changes of an identity are what both halves have")
    func changes() throws {
        let both = pairs(["labl": .string("l"), "pdmn": .string("ck"), "alis": .data([1])])
        let changes = try QueryGrammar.changes(both, of: .identity)
        #expect(changes.attributes == [.label: .string("l"), .alias: .data([1])])
        #expect(changes.accessible == .afterFirstUnlock)
        for name in ["issr", "subj", "klbl", "atag", "acct"] {
            let answer = Answer { () throws(QueryRefusal) in
                _ = try QueryGrammar.changes(pairs([name: .data([1])]), of: .identity)
            }
            #expect(answer == Answer(.noSuchAttr, .unknownAttribute), "\(name)")
        }
    }
}
