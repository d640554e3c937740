import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

/// Persistent references as input: Reference 6.1 and 6.8.
@Suite struct ReferenceGrammarTests {
    private static let calls: [QueryGrammar.Call] = [.find, .update, .delete]

    @Test("a reference names the class", arguments: calls)
    func classOfReference(_ call: QueryGrammar.Call) throws {
        let query = try QueryGrammar.query(pairs(["v_PersistentRef": .data(someReference)]), for: call)
        #expect(query.itemClass == .genericPassword)
        #expect(query.persistentReference == .identifier(.genericPassword, [UInt8](repeating: 7, count: 16)))
    }

    @Test("a class beside the reference must be its own", arguments: calls)
    func contradiction(_ call: QueryGrammar.Call) {
        let query = pairs(["class": .string("inet"), "v_PersistentRef": .data(someReference)])
        #expect(
            Answer { () throws(QueryRefusal) in _ = try QueryGrammar.query(query, for: call) }
                == Answer(.noSuchClass, .classContradictsReference))
    }

    private static let malformedRows: [PropertyValue] = [
        .data([]), .data(Array("genp".utf8)), .data(Array(someReference.dropLast())), .data(someReference + [0]),
        .data(Array("xxxx".utf8) + [UInt8](repeating: 0, count: 16)), .string("genp"), .integer(1), .null,
        .data(Array("tkpr".utf8)), .data(Array("tkpr".utf8) + [UInt8](repeating: 0, count: 16)),
        .data(tokenForm([.string("keys"), .string("t")])),
        .data(tokenForm([.string("apls"), .string("t"), .data([1])])),
        .data(tokenForm([.string("keys"), .data([1]), .data([1])])),
        .data(tokenForm([.string("keys"), .string("t"), .string("o")])),
        .data(tokenForm([.string("keys"), .string("t"), .data([1])]) + [0]),
        .data([0xFF, 0xFE, 0xFD, 0xFC] + [UInt8](repeating: 0, count: 16)),
    ]

    @Test("a malformed reference is refused, with a class and without", arguments: malformedRows)
    func malformed(_ value: PropertyValue) {
        for query in [pairs(["v_PersistentRef": value]), pairs(["class": .string("genp"), "v_PersistentRef": value])] {
            #expect(
                Answer { () throws(QueryRefusal) in _ = try QueryGrammar.query(query, for: .find) }
                    == Answer(.param, .valueKind))
        }
    }

    /// Form of the reference, call, and whether an attribute may stand beside it.
    private static let companyRows: [(reference: [UInt8], call: QueryGrammar.Call, isAllowed: Bool)] = [
        (someReference, .find, false), (someReference, .update, true), (someReference, .delete, true),
        (legacyReference, .find, false), (legacyReference, .update, false), (legacyReference, .delete, false),
        (identityReference, .find, false), (identityReference, .update, true), (identityReference, .delete, true),
        (tokenReference, .find, false), (tokenReference, .update, false), (tokenReference, .delete, false),
    ]

    @Test("attributes beside a reference", arguments: companyRows)
    func company(_ row: (reference: [UInt8], call: QueryGrammar.Call, isAllowed: Bool)) {
        let query = pairs(["v_PersistentRef": .data(row.reference), "labl": .string("a")])
        let answer = Answer { () throws(QueryRefusal) in _ = try QueryGrammar.query(query, for: row.call) }
        #expect(answer == (row.isAllowed ? nil : Answer(.param, .referenceWithAttributes)))
    }

    @Test("keys without effect may stand beside a reference")
    func idleCompany() {
        let query = pairs([
            "v_PersistentRef": .data(someReference), "nleg": .boolean(true), "musr": .data([]),
            "r_Data": .boolean(true),
        ])
        #expect(Answer { () throws(QueryRefusal) in _ = try QueryGrammar.query(query, for: .find) } == nil)
    }

    @Test("the reference to a token's object names class, token and object", arguments: calls)
    func objectOfToken(_ call: QueryGrammar.Call) throws {
        let query = try QueryGrammar.query(pairs(["v_PersistentRef": .data(tokenReference)]), for: call)
        #expect(query.itemClass == .key)
        #expect(query.attributes == [.tokenID: .string("com.apple.setoken")])
        #expect(query.tokenObject == [1, 2, 3])
    }

    private static let formsRows: [(bytes: [UInt8], reference: PersistentReference)] = [
        (someReference, .identifier(.genericPassword, [UInt8](repeating: 7, count: 16))),
        (legacyReference, .row(.genericPassword, 5)),
        (Array("inet".utf8) + [UInt8](repeating: 0xFF, count: 8), .row(.internetPassword, -1)),
        (identityReference, .identifier(.identity, [UInt8](repeating: 7, count: 16))),
        (tokenReference, .token(.key, identifier: "com.apple.setoken", object: [1, 2, 3])),
    ]

    @Test("each form reads and writes the same bytes", arguments: formsRows)
    func forms(_ row: (bytes: [UInt8], reference: PersistentReference)) {
        #expect(PersistentReference(row.bytes) == row.reference)
        #expect(row.reference.bytes == row.bytes)
    }
}

private let identityReference = Array("idnt".utf8) + [UInt8](repeating: 7, count: 16)
private let tokenReference = tokenForm([.string("keys"), .string("com.apple.setoken"), .data([1, 2, 3])])

private func tokenForm(_ parts: [PropertyValue]) -> [UInt8] {
    Array("tkpr".utf8) + DERWriter.encode(.array(parts))
}
