import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

/// Every rule of Reference 6.1, with the code an app sees and the name a person reads.
@Suite struct QueryGrammarTests {
    private static let calls: [QueryGrammar.Call] = [.add, .find, .update, .delete]
    private static let writes: [QueryGrammar.Call] = [.add, .update, .delete]

    // MARK: The shape of keys

    private static let keyShapesRows: [GrammarCase] = calls.flatMap { call in
        [
            GrammarCase(
                "a 4-character key of no column", call, ["zzzz": .string("x")], .noSuchAttr, .unknownAttribute),
            GrammarCase(
                "an attribute of another class", call, ["srvr": .string("x")], .noSuchAttr, .unknownAttribute),
            GrammarCase("a key with c that is not class", call, ["clash": .string("x")], .param, .unknownKey),
            GrammarCase("a one-character key", call, ["m": .string("x")], .param, .unknownKey),
            GrammarCase("an empty key", call, ["": .string("x")], .param, .unknownKey),
            GrammarCase("a key of no known prefix", call, ["service": .string("x")], .param, .unknownKey),
            GrammarCase("a key of one character f", call, ["f": .string("x")], .param, .unknownKey),
            GrammarCase("an unknown return key", call, ["r_Other": .boolean(true)], .param, .unknownKey),
            GrammarCase("an unknown use key", call, ["u_Other": .boolean(true)], .param, .unknownKey),
            GrammarCase("an unknown value key", call, ["v_Other": .boolean(true)], .param, .unknownKey),
            GrammarCase("clip", call, ["clip": .integer(1)], .param, .unknownKey),
            GrammarCase(
                "a number as key", call,
                raw: [QueryPair("class", .string("genp")), QueryPair(key: .integer(7), value: .string("x"))],
                .noSuchAttr,
                .unknownAttribute),
            GrammarCase(
                "a key twice", call,
                raw: pairs(["class": .string("genp"), "agrp": .string("g"), "agrp": .data([104])]), .param,
                .duplicateKey),
            GrammarCase(
                "the class twice", call, raw: pairs(["class": .string("genp"), "class": .string("inet")]), .param,
                .duplicateKey),
            GrammarCase(
                "data as key", call,
                raw: [QueryPair("class", .string("genp")), QueryPair(key: .data([1]), value: .string("x"))], .param,
                .keyNotText),
        ]
    }

    @Test("a key that fits no shape is refused", arguments: keyShapesRows)
    func keyShapes(_ row: GrammarCase) {
        #expect(answer(to: row) == Answer(row.code, row.rule))
    }

    @Test("callback keys, nleg and musr are taken without effect", arguments: calls)
    func ignoredKeys(_ call: QueryGrammar.Call) throws {
        let query = try QueryGrammar.query(
            pairs([
                "class": .string("genp"), "fRetain": .integer(1), "nleg": .boolean(true), "musr": .data([1, 2]),
            ]), for: call)
        #expect(query.attributes.isEmpty)
    }

    @Test("128 pairs are taken and 129 are not")
    func pairLimit() throws {
        let fill = (0..<127).map { QueryPair("m_Fill\($0)", .null) }
        let full = fill + [QueryPair("class", .string("genp"))]
        _ = try QueryGrammar.query(full, for: .find)
        let overfull = full + [QueryPair("m_More", .null)]
        #expect(
            Answer { () throws(QueryRefusal) in _ = try QueryGrammar.query(overfull, for: .find) }
                == Answer(.param, .tooManyPairs))
    }

    // MARK: Class

    private static let classesRows: [GrammarCase] = calls.flatMap { call in
        [
            GrammarCase("no class", call, [:], .param, .classMissing, itemClass: nil),
            GrammarCase("the class apls", call, [:], .noSuchClass, .unknownClass, itemClass: .string("apls")),
            GrammarCase("a number as class", call, [:], .noSuchClass, .unknownClass, itemClass: .integer(1)),
        ]
    }

    @Test("a class that is missing or unknown is refused", arguments: classesRows)
    func classes(_ row: GrammarCase) {
        #expect(answer(to: row) == Answer(row.code, row.rule))
    }

    // MARK: Values

    private static let valuesRows: [GrammarCase] = calls.flatMap { call in
        [
            GrammarCase("a blob that is an array", call, ["acct": .array([])], .param, .valueKind),
            GrammarCase("a blob that is a dictionary", call, ["svce": .dictionary([:])], .param, .valueKind),
            GrammarCase("a blob that is null", call, ["svce": .null], .param, .valueKind),
            GrammarCase("a blob that is a secret", call, ["acct": .secret(0)], .param, .valueKind),
            GrammarCase("a number that is data", call, ["type": .data([1])], .param, .valueKind),
            GrammarCase("a group that is a number", call, ["agrp": .integer(3)], .param, .valueKind),
            GrammarCase("a protection class of no name", call, ["pdmn": .string("xx")], .param, .valueKind),
            GrammarCase("a protection class that is a number", call, ["pdmn": .integer(1)], .param, .valueKind),
            GrammarCase("a date that is text", call, ["cdat": .string("now")], .param, .valueKind),
            GrammarCase("a modification date that is a number", call, ["mdat": .integer(1)], .param, .valueKind),
            GrammarCase(
                "an access control of bytes that none has", call,
                ["accc": .reference(kind: "SecAccessControl", bytes: [1, 2, 3])], .param, .badAccessControl),
            GrammarCase("an access control that is text", call, ["accc": .string("ak")], .param, .valueKind),
            GrammarCase(
                "an access control that is a key", call, ["accc": .reference(kind: "SecKey", bytes: [])], .param,
                .valueKind),
            GrammarCase("synchronizability that is text", call, ["sync": .string("yes")], .param, .valueKind),
            GrammarCase(
                "a digest of 19 bytes", call, ["sha1": .data([UInt8](repeating: 1, count: 19))], .param, .valueKind),
            GrammarCase("a return key that is a number", call, ["r_Data": .integer(1)], .param, .valueKind),
            GrammarCase("data that is text", call, ["v_Data": .string("x")], .param, .valueKind),
            GrammarCase("data that is null", call, ["v_Data": .null], .param, .valueKind),
            GrammarCase("a reference that is text", call, ["v_Ref": .string("x")], .param, .valueKind),
            GrammarCase(
                "a key as reference", call, ["v_Ref": .reference(kind: "SecKey", bytes: [])], .param, .valueKind),
            GrammarCase("an unknown choice of user interface", call, ["u_AuthUI": .string("x")], .param, .valueKind),
            GrammarCase("a prompt that is a number", call, ["u_OpPrompt": .integer(1)], .param, .valueKind),
            GrammarCase("a list of items", call, ["u_ItemList": .array([])], .param, .unknownKey),
            GrammarCase("a context", call, ["u_AuthCtx": .string("x")], .authFailed, .noAuthenticationContext),
            GrammarCase("a credential", call, ["u_CredRef": .data([1])], .authFailed, .noAuthenticationContext),
            GrammarCase(
                "sharing group with sync", call, ["ggrp": .string("g"), "sync": .boolean(true)], .param,
                .keyNotAllowedHere),
            GrammarCase("a sharing group", call, ["ggrp": .string("g")], .missingEntitlement, .privateAttribute),
            GrammarCase(
                "the system keychain", call, ["u_SystemKeychain": .boolean(true)], .missingEntitlement,
                .privateAttribute),
            GrammarCase(
                "the sync bubble", call, ["u_SyncBubbleKeychain": .boolean(true)], .missingEntitlement,
                .privateAttribute),
            GrammarCase("a plaintext identity", call, ["pcsi": .data([1])], .missingEntitlement, .privateAttribute),
            GrammarCase(
                "extra data of internet passwords", call, ["bin0": .data([1])], .missingEntitlement,
                .privateAttribute,
                itemClass: .string("inet")),
            GrammarCase("extra data of another class", call, ["bin0": .data([1])], .noSuchAttr, .unknownAttribute),
        ]
    }

    @Test("a value of another kind than its key's is refused", arguments: valuesRows)
    func values(_ row: GrammarCase) {
        #expect(answer(to: row) == Answer(row.code, row.rule))
    }

    @Test("false spares the entitlement of a private keychain", arguments: calls)
    func privateKeychainFalse(_ call: QueryGrammar.Call) {
        let query = pairs(["class": .string("genp"), "u_SystemKeychain": .boolean(false)])
        #expect(Answer { () throws(QueryRefusal) in _ = try QueryGrammar.query(query, for: call) } == nil)
    }

    // MARK: Keys that have their calls

    private static let placesRows: [GrammarCase] =
        writes.flatMap { call in
            [
                GrammarCase("a limit", call, ["m_Limit": .string("m_LimitOne")], .param, .keyNotAllowedHere),
                GrammarCase("an unknown match key", call, ["m_Other": .integer(1)], .param, .keyNotAllowedHere),
                GrammarCase(
                    "skipping items that ask", call, ["u_AuthUI": .string("u_AuthUIS")], .param, .keyNotAllowedHere),
            ]
        } + [
            GrammarCase(
                "a persistent reference", .add, ["v_PersistentRef": .data(someReference)], .param,
                .keyNotAllowedHere),
            GrammarCase("a limit of all", .add, ["m_Limit": .string("m_LimitAll")], .param, .keyNotAllowedHere),
            GrammarCase("a limit of all", .update, ["m_Limit": .string("m_LimitAll")], .param, .keyNotAllowedHere),
            GrammarCase(
                "another match key beside all", .delete, ["m_Limit": .string("m_LimitAll"), "m_Other": .integer(1)],
                .param, .keyNotAllowedHere),
            GrammarCase("any synchronizability", .add, ["sync": .string("syna")], .param, .valueKind),
            GrammarCase("a tombstone", .add, ["tomb": .boolean(true)], .param, .keyNotAllowedHere),
            GrammarCase("a return key", .update, ["r_Data": .boolean(true)], .param, .keyNotAllowedHere),
        ]

    @Test("a key has no place in another call", arguments: placesRows)
    func places(_ row: GrammarCase) {
        #expect(answer(to: row) == Answer(row.code, row.rule))
    }

    @Test("a delete takes the limit of all, which it has anyway")
    func limitOfDelete() throws {
        let query = try QueryGrammar.query(
            pairs(["class": .string("genp"), "m_Limit": .string("m_LimitAll")]), for: .delete)
        #expect(query.limit == nil)
    }

    // MARK: Values that nothing can hold

    private static let unstorableRows: [GrammarCase] = QueryGrammar.Call.allCases.flatMap { call in
        let text = UnstorableValue.illFormedText.value
        let date = UnstorableValue.dateOutOfRange.value
        let itemClass = QueryPair("class", .string("genp"))
        return [
            GrammarCase("text of an attribute", call, ["acct": text], .param, .textNotWellFormed),
            GrammarCase("a group", call, ["agrp": text], .param, .textNotWellFormed),
            GrammarCase("a class", call, [:], .param, .textNotWellFormed, itemClass: text),
            GrammarCase("under an unknown key", call, ["zzzz": text], .param, .textNotWellFormed),
            GrammarCase("under a key that is ignored", call, ["m_Other": text], .param, .textNotWellFormed),
            GrammarCase(
                "as a key", call, raw: [itemClass, QueryPair(key: text, value: .string("x"))], .param,
                .textNotWellFormed),
            GrammarCase("a date", call, ["cdat": date], .param, .dateOutOfRange),
            GrammarCase("an infinite date", call, ["cdat": .date(.infinity)], .param, .dateOutOfRange),
            GrammarCase("no number", call, ["mdat": .date(.nan)], .param, .dateOutOfRange),
        ]
    }

    @Test("text that is not well-formed and dates outside of the calendar are refused", arguments: unstorableRows)
    func unstorable(_ row: GrammarCase) {
        #expect(answer(to: row) == Answer(row.code, row.rule))
    }

    @Test("dates of the years 0 to 9999 can be stored, and no others")
    func dateRange() {
        let dates: [(Double, Bool)] = [
            (0, true), (-63_145_526_400, true), (252_423_993_599, true), (63_113_904_000, true),
            (-63_145_526_401, false), (252_423_993_600, false), (1e300, false), (-.infinity, false), (.nan, false),
        ]
        for (seconds, isStorable) in dates {
            #expect(UnstorableValue.isStorable(date: seconds) == isStorable)
            #expect((AttributeKind.date.stored(.date(seconds)) != nil) == isStorable)
        }
    }

    // MARK: Match keys of a find

    private static let matchesRows: [GrammarCase] = [
        GrammarCase("a limit of another text", .find, ["m_Limit": .string("m_LimitTwo")], .param, .valueKind),
        GrammarCase("a negative limit", .find, ["m_Limit": .integer(-1)], .param, .valueKind),
        GrammarCase("a limit that is a Boolean", .find, ["m_Limit": .boolean(true)], .param, .valueKind),
        GrammarCase("issuers", .find, ["m_Issuers": .array([])], .unimplemented, .matchForCertificates),
        GrammarCase("a policy", .find, ["m_Policy": .array([])], .unimplemented, .matchForCertificates),
        GrammarCase(
            "a host", .find, ["m_HostOrSubdomainOfHost": .string("a.b")], .unimplemented, .matchForInternetPasswords
        ),
        GrammarCase(
            "a host that is data", .find, ["m_HostOrSubdomainOfHost": .data([1])], .param, .valueKind,
            itemClass: .string("inet")),
        GrammarCase("a day that is text", .find, ["m_ValidOnDate": .string("x")], .param, .valueKind),
        GrammarCase("trust that is text", .find, ["m_TrustedOnly": .string("x")], .param, .valueKind),
        GrammarCase(
            "an address that is a number", .find, ["m_EmailAddressIfPresent": .integer(1)], .param, .valueKind),
    ]

    @Test("a match key of another kind or class is refused", arguments: matchesRows)
    func matches(_ row: GrammarCase) {
        #expect(answer(to: row) == Answer(row.code, row.rule))
    }

    @Test(
        "match keys that do nothing for passwords are taken",
        arguments: [
            "m_ItemList", "m_SearchList", "m_SubjectContains", "m_SubjectStartsWith", "m_SubjectEndsWith",
            "m_SubjectWholeString", "m_CaseInsensitive", "m_DiacriticInsensitive", "m_WidthInsensitive", "m_Whatever",
        ])
    func idleMatchKeys(_ key: String) {
        let query = [QueryPair("class", .string("genp")), QueryPair(key, .null)]
        #expect(Answer { () throws(QueryRefusal) in _ = try QueryGrammar.query(query, for: .find) } == nil)
    }

    private static let limitsRows: [(PropertyValue, ItemQuery.Limit)] = [
        (.string("m_LimitOne"), .one), (.string("m_LimitAll"), .all), (.integer(1), .one), (.integer(0), .count(0)),
        (.integer(7), .count(7)), (.integer(.max), .count(.max)),
    ]

    @Test("each form of the limit is understood", arguments: limitsRows)
    func limits(_ value: PropertyValue, _ limit: ItemQuery.Limit) throws {
        let query = try QueryGrammar.query(pairs(["class": .string("genp"), "m_Limit": value]), for: .find)
        #expect(query.limit == limit)
    }

    // MARK: Order

    @Test(
        "the order of the pairs does not change the answer",
        arguments: [
            pairs(["class": .string("genp"), "zzzz": .integer(1), "svce": .null]),
            pairs(["class": .string("genp"), "r_Data": .integer(1), "u_AuthCtx": .integer(1)]),
            pairs(["class": .string("genp"), "u_AuthCtx": .integer(1), "u_Other": .integer(1)]),
            pairs(["class": .string("genp"), "m_Limit": .integer(-1), "m_Policy": .integer(1)]),
            pairs(["class": .string("genp"), "v_Data": .null, "v_Other": .integer(1)]),
            pairs(["class": .string("genp"), "clash": .null, "service": .integer(1)]),
        ])
    func order(_ query: [QueryPair]) {
        let forth = Answer { () throws(QueryRefusal) in _ = try QueryGrammar.query(query, for: .find) }
        let back = Answer { () throws(QueryRefusal) in _ = try QueryGrammar.query(query.reversed(), for: .find) }
        #expect(forth != nil)
        #expect(forth == back)
    }

    @Test("forbidding the user interface wins over allowing it, in either order")
    func forbiddenInterface() throws {
        let query = pairs([
            "class": .string("genp"), "u_NoAuthUI": .boolean(true), "u_AuthUI": .string("u_AuthUIA"),
        ])
        #expect(try QueryGrammar.query(query, for: .find).authenticationUI == .fail)
        #expect(try QueryGrammar.query(query.reversed(), for: .find).authenticationUI == .fail)
    }

    private func answer(to row: GrammarCase) -> Answer? {
        Answer { () throws(QueryRefusal) in _ = try QueryGrammar.query(row.pairs, for: row.call) }
    }
}
