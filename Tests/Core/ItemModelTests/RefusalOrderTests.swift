import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

/// The rule that a dictionary with several faults breaks: programs and people see the first one alone.
@Suite struct RefusalOrderTests {
    // MARK: Keys, in the order of the dictionary

    private static let byPlaceRows: [GrammarCase] = [
        GrammarCase(
            "a key twice, then an unknown one", .find, raw: pairs(["acct": .null, "acct": .null, "service": .null]),
            .param, .duplicateKey),
        GrammarCase(
            "an unknown key, then one twice", .find, raw: pairs(["service": .null, "acct": .null, "acct": .null]),
            .param, .unknownKey),
        GrammarCase(
            "an unknown key, then data as key", .find,
            raw: pairs(["service": .null]) + [QueryPair(key: .data([1]), value: .null)], .param, .unknownKey),
        GrammarCase(
            "data as key, then an unknown one", .find,
            raw: [QueryPair(key: .data([1]), value: .null)] + pairs(["service": .null]), .param, .keyNotText),
        GrammarCase(
            "an unknown key, then text that is not well-formed", .find,
            raw: pairs(["service": .null, "acct": UnstorableValue.illFormedText.value]), .param, .unknownKey),
        GrammarCase(
            "a key for the second time, with text that is not well-formed", .find,
            raw: pairs(["acct": .null, "acct": UnstorableValue.illFormedText.value]), .param, .textNotWellFormed),
        GrammarCase(
            "an unknown key with a date of no calendar", .find,
            raw: pairs(["service": UnstorableValue.dateOutOfRange.value]), .param, .dateOutOfRange),
        GrammarCase(
            "a number as key, then an unknown one", .find,
            raw: [QueryPair(key: .integer(1), value: .null)] + pairs(["service": .null]), .param, .unknownKey),
        GrammarCase(
            "a number as key twice, then a text twice", .find,
            raw: [QueryPair](repeating: QueryPair(key: .integer(1), value: .null), count: 2)
                + pairs(["acct": .null, "acct": .null]), .param, .duplicateKey),
        GrammarCase(
            "a key in two spellings of the same text, one of them of four bytes", .find,
            raw: pairs(["class": .string("genp"), "m_\u{E9}": .null, "m_e\u{301}": .null]), .param, .duplicateKey),
        GrammarCase(
            "a prefix whose last character goes on", .find,
            raw: pairs(["class": .string("genp"), "m_\u{301}Other": .null]), .param, .unknownKey),
        GrammarCase(
            "more than 128 pairs, one of them with data as key", .find,
            raw: [QueryPair](repeating: QueryPair(key: .data([1]), value: .null), count: 129), .param, .tooManyPairs),
    ]

    @Test("the first key that no dictionary can have is refused", arguments: byPlaceRows)
    func byPlace(_ row: GrammarCase) {
        #expect(answer(to: row) == Answer(row.code, row.rule))
    }

    // MARK: Parts of a query

    private static let calls: [QueryGrammar.Call] = [.add, .find, .update, .delete]
    private static let control = PropertyValue.reference(kind: "SecAccessControl", bytes: [1, 2, 3])

    private static let ofEveryCallRows: [GrammarCase] = calls.flatMap { call in
        [
            GrammarCase(
                "an unknown key without a class", call, ["service": .null], .param, .unknownKey, itemClass: nil),
            GrammarCase(
                "an unknown class with a return key that is a number", call, ["r_Data": .integer(1)], .noSuchClass,
                .unknownClass, itemClass: .string("apls")),
            GrammarCase(
                "no class, and an invalid context", call, ["u_AuthCtx": .null], .param, .classMissing,
                itemClass: nil),
            GrammarCase(
                "an invalid context, and an unknown value key", call, ["u_AuthCtx": .null, "v_Other": .null],
                .authFailed, .noAuthenticationContext),
            GrammarCase(
                "a credential and data that is null", call, ["u_CredRef": .null, "v_Data": .null], .authFailed,
                .noAuthenticationContext),
            GrammarCase(
                "a credential and the system keychain", call,
                ["u_CredRef": .null, "u_SystemKeychain": .boolean(true)], .authFailed, .noAuthenticationContext),
            GrammarCase(
                "the system keychain and an unknown return key", call,
                ["u_SystemKeychain": .boolean(true), "r_Other": .boolean(true)], .param, .unknownKey),
            GrammarCase(
                "the system keychain and data that is null", call,
                ["u_SystemKeychain": .boolean(true), "v_Data": .null], .missingEntitlement, .privateAttribute),
            GrammarCase(
                "data that is null, and an unknown value key", call, ["v_Data": .null, "v_Other": .null], .param,
                .valueKind),
            GrammarCase(
                "an unknown value key, and an attribute that is null", call, ["v_Other": .null, "acct": .null], .param,
                .unknownKey),
            GrammarCase(
                "a four-character key of a prefix", call, ["m_ab": .null, "r_ab": .null, "v_ab": .null], .noSuchAttr,
                .unknownAttribute),
            GrammarCase(
                "an unknown attribute and one that is null", call, ["aaaa": .null, "svce": .null], .param, .valueKind),
            GrammarCase(
                "an attribute that is null before an access control", call, ["acct": .null, "accc": control], .param,
                .badAccessControl),
            GrammarCase(
                "an attribute that is null before clip", call, ["acct": .null, "clip": .null], .param, .valueKind),
            GrammarCase(
                "clip before an attribute that is null", call, ["clip": .null, "svce": .null], .param, .unknownKey),
            GrammarCase(
                "a private attribute and an unknown one", call, ["pcsi": .data([1]), "zzzz": .null], .noSuchAttr,
                .unknownAttribute),
            GrammarCase(
                "a sharing group with sync, and an unknown attribute", call,
                ["ggrp": .string("g"), "sync": .boolean(true), "zzzz": .null], .param, .keyNotAllowedHere),
            GrammarCase(
                "extra data before an attribute that is null", call, ["bin0": .data([1]), "srvr": .null],
                .missingEntitlement, .privateAttribute, itemClass: .string("inet")),
            GrammarCase(
                "an object of no token, and an unknown attribute", call, ["toid": .data([1]), "zzzz": .null],
                .noSuchAttr, .unknownAttribute, itemClass: .string("keys")),
            GrammarCase(
                "an object of no token, and a private attribute", call, ["toid": .data([1]), "pcsk": .data([1])],
                .param, .tokenObjectAlone, itemClass: .string("keys")),
        ]
    }

    private static let ofOneCallRows: [GrammarCase] = [
        GrammarCase(
            "a match for certificates, and an unknown attribute", .find, ["m_Policy": .null, "zzzz": .null],
            .unimplemented, .matchForCertificates),
        GrammarCase(
            "a negative limit, and a match for certificates", .find, ["m_Limit": .integer(-1), "m_Policy": .null],
            .param, .valueKind),
        GrammarCase(
            "a match for internet passwords, and a negative limit", .find,
            ["m_HostOrSubdomainOfHost": .string("h"), "m_Limit": .integer(-1)], .unimplemented,
            .matchForInternetPasswords),
        GrammarCase(
            "a limit, and an unknown value key", .add, ["m_Limit": .integer(1), "v_Other": .null], .param, .unknownKey),
        GrammarCase(
            "a limit, and an unknown attribute", .add, ["m_Limit": .integer(1), "zzzz": .null], .param,
            .keyNotAllowedHere),
        GrammarCase(
            "a return key, and the system keychain", .update,
            ["r_Data": .boolean(true), "u_SystemKeychain": .boolean(true)], .missingEntitlement, .privateAttribute),
        GrammarCase(
            "a return key, and data that is null", .update, ["r_Data": .boolean(true), "v_Data": .null], .param,
            .keyNotAllowedHere),
        GrammarCase(
            "a number as class beside a malformed reference", .find, ["v_PersistentRef": .null], .noSuchClass,
            .unknownClass, itemClass: .integer(1)),
        GrammarCase(
            "another class than the reference's, and an invalid context", .find,
            ["v_PersistentRef": .data(someReference), "u_AuthCtx": .null], .noSuchClass, .classContradictsReference,
            itemClass: .string("inet")),
        GrammarCase(
            "a reference beside an unknown attribute", .find, ["v_PersistentRef": .data(someReference), "zzzz": .null],
            .noSuchAttr, .unknownAttribute),
        GrammarCase(
            "a reference beside a private attribute", .find,
            ["v_PersistentRef": .data(someReference), "pcsi": .data([1])], .missingEntitlement, .privateAttribute),
        GrammarCase(
            "an identity of no reference, with a label that is null", .add, ["labl": .null], .param, .valueKind,
            itemClass: .string("idnt")),
    ]

    @Test(
        "of several faults the answer names the same one in each order of the pairs",
        arguments: ofEveryCallRows + ofOneCallRows)
    func byPart(_ row: GrammarCase) {
        let sorted = row.pairs.sorted { "\($0.key)" < "\($1.key)" }
        for pairs in [sorted, sorted.reversed()] {
            #expect(
                Answer { () throws(QueryRefusal) in _ = try QueryGrammar.query(pairs, for: row.call) }
                    == Answer(row.code, row.rule))
        }
    }

    // MARK: Changes

    private static let changeRows: [(pairs: [QueryPair], answer: Answer)] = [
        (pairs(["m_Limit": .null, "v_Other": .null]), Answer(.param, .keyNotAllowedHere)),
        (pairs(["v_Other": .null, "acct": .null]), Answer(.param, .unknownKey)),
        (pairs(["v_Data": .null, "v_Other": .null]), Answer(.param, .valueKind)),
        (pairs(["class": .string("genp"), "acct": .null]), Answer(.param, .valueKind)),
        (pairs(["class": .string("genp"), "sysb": .integer(1)]), Answer(.noSuchAttr, .unknownAttribute)),
        (pairs(["r_Data": .boolean(true), "clip": .null]), Answer(.param, .keyNotAllowedHere)),
        (pairs(["r_Data": .boolean(true), "sysb": .integer(1)]), Answer(.noSuchAttr, .unknownAttribute)),
        (pairs(["aaaa": .null, "svce": .null]), Answer(.param, .valueKind)),
        (pairs(["clip": .null, "svce": .null]), Answer(.param, .keyNotAllowedHere)),
        (pairs(["acct": .null, "clip": .null]), Answer(.param, .valueKind)),
    ]

    @Test("of several faults of changes the answer names the same one in each order", arguments: changeRows)
    func changes(_ row: (pairs: [QueryPair], answer: Answer)) {
        for pairs in [row.pairs, row.pairs.reversed()] {
            #expect(
                Answer { () throws(QueryRefusal) in _ = try QueryGrammar.changes(pairs, of: .genericPassword) }
                    == row.answer)
        }
    }

    private func answer(to row: GrammarCase) -> Answer? {
        Answer { () throws(QueryRefusal) in _ = try QueryGrammar.query(row.pairs, for: row.call) }
    }
}
