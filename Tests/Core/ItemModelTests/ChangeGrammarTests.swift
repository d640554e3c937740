import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

/// The second dictionary of an update: Reference 6.5.
@Suite struct ChangeGrammarTests {
    private static let refusedRows: [(pairs: [(key: PropertyValue, value: PropertyValue)], answer: Answer)] = [
        (pairs(["class": .string("genp")]), Answer(.noSuchAttr, "unknown-attribute")),
        (pairs(["r_Data": .boolean(true)]), Answer(.noSuchAttr, "unknown-attribute")),
        (pairs(["u_AuthUI": .string("u_AuthUIS")]), Answer(.noSuchAttr, "unknown-attribute")),
        (pairs(["u_CredRef": .data([1])]), Answer(.noSuchAttr, "unknown-attribute")),
        (pairs(["zzzz": .integer(1)]), Answer(.noSuchAttr, "unknown-attribute")),
        (pairs(["srvr": .string("x")]), Answer(.noSuchAttr, "unknown-attribute")),
        (pairs(["m_Limit": .string("m_LimitOne")]), Answer(.param, "key-not-allowed-here")),
        (pairs(["v_Data": .string("x")]), Answer(.param, "value-kind")),
        (pairs(["v_Data": .null]), Answer(.param, "value-kind")),
        (pairs(["v_Data": .data([1])]), Answer(.param, "value-kind")),
        (pairs(["v_PersistentRef": .data(someReference)]), Answer(.param, "unknown-key")),
        (pairs(["v_Ref": .string("x")]), Answer(.param, "value-kind")),
        (pairs(["acct": .array([])]), Answer(.param, "value-kind")),
        (pairs(["cdat": .string("x")]), Answer(.param, "value-kind")),
        (pairs(["mdat": .string("x")]), Answer(.param, "value-kind")),
        (pairs(["pdmn": .string("x")]), Answer(.param, "value-kind")),
        (pairs(["accc": .data([1])]), Answer(.param, "value-kind")),
        (
            pairs(["accc": .reference(kind: "SecAccessControl", bytes: [9])]), Answer(.param, "bad-access-control")
        ),
        (pairs(["sync": .string("syna")]), Answer(.param, "value-kind")),
        (pairs(["clip": .integer(1)]), Answer(.param, "key-not-allowed-here")),
        (pairs(["ggrp": .string("g")]), Answer(.param, "key-not-allowed-here")),
        (pairs(["tomb": .boolean(true)]), Answer(.param, "key-not-allowed-here")),
        (pairs(["sysb": .integer(1)]), Answer(.missingEntitlement, "private-attribute")),
        (pairs(["service": .string("x")]), Answer(.param, "unknown-key")),
        ([(.integer(1), .string("x"))], Answer(.noSuchAttr, "unknown-attribute")),
        ([(.data([1]), .string("x"))], Answer(.param, "key-not-text")),
    ]

    @Test("what an update cannot change is refused", arguments: refusedRows)
    func refused(_ row: (pairs: [(key: PropertyValue, value: PropertyValue)], answer: Answer)) {
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
