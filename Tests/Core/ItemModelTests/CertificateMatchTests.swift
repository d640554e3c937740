import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

/// The match keys for certificates and identities: Reference 6.4.
@Suite struct CertificateMatchTests {
    private static let classes = ["cert", "idnt"]
    private static let policy = PropertyValue.reference(kind: "SecPolicy", bytes: [1, 2])

    private func query(_ itemClass: String, _ key: String, _ value: PropertyValue) throws(QueryRefusal) -> ItemQuery {
        try QueryGrammar.query(pairs(["class": .string(itemClass), key: value]), for: .find)
    }

    @Test("each key is understood", arguments: classes)
    func understood(_ itemClass: String) throws {
        let issuers = PropertyValue.array([.data([1]), .string("x"), .data([2]), .integer(3)])
        #expect(try query(itemClass, "m_Issuers", issuers).issuers == [[1], [2]])
        #expect(try query(itemClass, "m_Policy", Self.policy).policy == [1, 2])
        #expect(try query(itemClass, "m_ValidOnDate", .date(7)).validOn == .date(7))
        #expect(try query(itemClass, "m_ValidOnDate", .null).validOn == .now)
        #expect(try query(itemClass, "m_TrustedOnly", .boolean(true)).isTrustedOnly)
        #expect(try query(itemClass, "m_EmailAddressIfPresent", .string("a@b")).emailAddress == "a@b")
    }

    private static let filters: [(key: String, value: PropertyValue, isFilter: Bool)] = [
        ("m_Issuers", .array([.data([1])]), true), ("m_Issuers", .array([.string("x")]), false),
        ("m_Issuers", .array([]), false), ("m_Policy", policy, true), ("m_ValidOnDate", .null, true),
        ("m_TrustedOnly", .boolean(true), true), ("m_TrustedOnly", .boolean(false), false),
        ("m_EmailAddressIfPresent", .string(""), true), ("m_SubjectContains", .string("x"), false),
    ]

    @Test("what filters certificates says so", arguments: filters)
    func filter(_ row: (key: String, value: PropertyValue, isFilter: Bool)) throws {
        for itemClass in Self.classes {
            #expect(try query(itemClass, row.key, row.value).matchesCertificates == row.isFilter)
        }
    }

    private static let wrongRows: [(key: String, value: PropertyValue)] = [
        ("m_Issuers", .data([1])), ("m_Issuers", .null), ("m_Policy", .array([])), ("m_Policy", .data([1])),
        ("m_Policy", .reference(kind: "SecKey", bytes: [])), ("m_ValidOnDate", .string("x")),
        ("m_ValidOnDate", .integer(1)), ("m_TrustedOnly", .integer(1)), ("m_EmailAddressIfPresent", .data([1])),
    ]

    @Test("a value of another kind is refused", arguments: wrongRows)
    func wrong(_ row: (key: String, value: PropertyValue)) {
        for itemClass in Self.classes {
            let answer = Answer { () throws(QueryRefusal) in _ = try query(itemClass, row.key, row.value) }
            #expect(answer == Answer(.param, .valueKind))
        }
    }

    @Test("issuers and policies are for certificates and identities", arguments: ["genp", "inet", "keys"])
    func otherClasses(_ itemClass: String) throws {
        for (key, value) in [("m_Issuers", PropertyValue.array([])), ("m_Policy", Self.policy)] {
            let answer = Answer { () throws(QueryRefusal) in _ = try query(itemClass, key, value) }
            #expect(answer == Answer(.unimplemented, .matchForCertificates))
        }
        #expect(try !query(itemClass, "m_ValidOnDate", .null).matchesCertificates)
        #expect(try !query(itemClass, "m_TrustedOnly", .boolean(true)).matchesCertificates)
    }

    @Test("a host is for internet passwords", arguments: ["cert", "keys", "idnt"])
    func host(_ itemClass: String) {
        let answer = Answer { () throws(QueryRefusal) in
            _ = try query(itemClass, "m_HostOrSubdomainOfHost", .string("a"))
        }
        #expect(answer == Answer(.unimplemented, .matchForInternetPasswords))
    }
}
