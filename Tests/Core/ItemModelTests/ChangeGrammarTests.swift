import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

/// The second dictionary of an update: Reference 6.5.
@Suite struct ChangeGrammarTests {
    private static let refusedRows: [(pairs: [QueryPair], answer: Answer)] = [
        (pairs(["class": .string("genp")]), Answer(.noSuchAttr, .unknownAttribute)),
        (pairs(["r_Data": .boolean(true)]), Answer(.noSuchAttr, .unknownAttribute)),
        (pairs(["u_AuthUI": .string("u_AuthUIS")]), Answer(.noSuchAttr, .unknownAttribute)),
        (pairs(["u_CredRef": .data([1])]), Answer(.noSuchAttr, .unknownAttribute)),
        (pairs(["zzzz": .integer(1)]), Answer(.noSuchAttr, .unknownAttribute)),
        (pairs(["srvr": .string("x")]), Answer(.noSuchAttr, .unknownAttribute)),
        (pairs(["m_Limit": .string("m_LimitOne")]), Answer(.param, .keyNotAllowedHere)),
        (pairs(["v_Data": .string("x")]), Answer(.param, .valueKind)),
        (pairs(["v_Data": .null]), Answer(.param, .valueKind)),
        (pairs(["v_Data": .data([1])]), Answer(.param, .valueKind)),
        (pairs(["v_PersistentRef": .data(someReference)]), Answer(.param, .unknownKey)),
        (pairs(["v_Ref": .string("x")]), Answer(.param, .valueKind)),
        (pairs(["acct": .array([])]), Answer(.param, .valueKind)),
        (pairs(["cdat": .string("x")]), Answer(.param, .valueKind)),
        (pairs(["mdat": .string("x")]), Answer(.param, .valueKind)),
        (pairs(["pdmn": .string("x")]), Answer(.param, .valueKind)),
        (pairs(["accc": .data([1])]), Answer(.param, .valueKind)),
        (
            pairs(["accc": .reference(kind: "SecAccessControl", bytes: [9])]), Answer(.param, .badAccessControl)
        ),
        (pairs(["sync": .string("syna")]), Answer(.param, .valueKind)),
        (pairs(["clip": .integer(1)]), Answer(.param, .keyNotAllowedHere)),
        (pairs(["ggrp": .string("g")]), Answer(.param, .keyNotAllowedHere)),
        (pairs(["tomb": .boolean(true)]), Answer(.param, .keyNotAllowedHere)),
        (pairs(["sysb": .integer(1)]), Answer(.missingEntitlement, .privateAttribute)),
        (pairs(["service": .string("x")]), Answer(.param, .unknownKey)),
        ([QueryPair(key: .integer(1), value: .string("x"))], Answer(.noSuchAttr, .unknownAttribute)),
        ([QueryPair(key: .data([1]), value: .string("x"))], Answer(.param, .keyNotText)),
    ]

    @Test("what an update cannot change is refused", arguments: refusedRows)
    func refused(_ row: (pairs: [QueryPair], answer: Answer)) {
        let answer = Answer { () throws(QueryRefusal) in _ = try QueryGrammar.changes(row.pairs, of: .genericPassword) }
        #expect(answer == row.answer)
    }

    @Test("an empty dictionary changes nothing and is allowed")
    func empty() throws {
        let changes = try QueryGrammar.changes([], of: .genericPassword)
        #expect(changes.attributes.isEmpty)
        #expect(changes.dataSecret == nil)
    }

    @Test("what an update ignores stays out of the changes")
    func ignored() throws {
        let changes = try QueryGrammar.changes(
            pairs([
                "nleg": .boolean(true), "musr": .data([]), "mdat": .date(1), "tomb": .boolean(false),
                "sha1": .data([UInt8](repeating: 0, count: 20)),
            ]), of: .genericPassword)
        #expect(changes.attributes.isEmpty)
        #expect(changes.creationDate == nil)
    }

    @Test("what an update can change arrives as it is stored")
    func changes() throws {
        let control = AccessControl(protection: .afterFirstUnlock)
        let changes = try QueryGrammar.changes(
            pairs([
                "acct": .string("a"), "type": .string("12"), "invi": .boolean(true), "agrp": .string("g"),
                "pdmn": .string("ck"), "sync": .boolean(true), "cdat": .date(5), "v_Data": .secret(1),
                "accc": .reference(kind: "SecAccessControl", bytes: control.serialised),
            ]), of: .genericPassword)
        #expect(changes.attributes.byColumn == ["acct": .string("a"), "type": .integer(12), "invi": .integer(1)])
        #expect(changes.accessGroup == "g")
        #expect(changes.accessible == .afterFirstUnlock)
        #expect(changes.synchronizable == true)
        #expect(changes.creationDate == 5)
        #expect(changes.dataSecret == 1)
        #expect(changes.accessControl == control)
    }
}
