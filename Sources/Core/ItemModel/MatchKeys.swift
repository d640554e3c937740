import LatchkeyPropertyListDER

/// `kSecMatch…` keys. Only finds accept them. A delete accepts just `kSecMatchLimitAll`, because programs written for
/// several systems send it; deletes always act on all items.
enum MatchKeys {
    static func read(
        _ pairs: SortedPairs, for call: QueryGrammar.Call, into query: inout ItemQuery
    ) throws(QueryRefusal) {
        guard call == .find else {
            let first = pairs.first(.match) { key, value in call != .delete || !isLimitAll(key, value) }
            guard let first else { return }
            throw .notAllowedHere(
                first.key == "m_Limit" ? "kSecMatchLimit" : "A kSecMatch… key", in: call.rawValue,
                advice: call == .add
                    ? "Leave it out."
                    : "\(call.rawValue) always acts on every item that fits; narrow the query with attributes.")
        }
        for (key, value) in pairs.all(.match) {
            try readMatch(key, value, into: &query)
        }
    }

    private static func isLimitAll(_ key: String, _ value: PropertyValue) -> Bool {
        key == "m_Limit" && value == .string("m_LimitAll")
    }

    private static func readMatch(
        _ key: String, _ value: PropertyValue, into query: inout ItemQuery
    ) throws(QueryRefusal) {
        switch key {
        case "m_Limit":
            query.limit = try limit(value)
        case "m_Issuers", "m_Policy", "m_ValidOnDate", "m_TrustedOnly", "m_EmailAddressIfPresent":
            try readCertificateMatch(key, value, into: &query)
        case "m_HostOrSubdomainOfHost":
            guard query.itemClass == .internetPassword else {
                throw QueryRefusal(.unimplemented, .matchForInternetPasswords, key)
            }
            guard case .string(let host) = value else {
                throw .badValue(of: "kSecMatchHostOrSubdomainOfHost", expected: "text")
            }
            query.hostOrSubdomain = host
        default:
            // Unknown match keys and those of the file keychain are accepted and ignored.
            return
        }
    }

    /// Reads a match key for certificates. For other classes `m_Issuers` and `m_Policy` are refused; the remaining keys
    /// are checked and ignored.
    private static func readCertificateMatch(
        _ key: String, _ value: PropertyValue, into query: inout ItemQuery
    ) throws(QueryRefusal) {
        let isForClass = [.certificate, .identity].contains(query.itemClass)
        if !isForClass, ["m_Issuers", "m_Policy"].contains(key) {
            throw QueryRefusal(.unimplemented, .matchForCertificates, key)
        }
        var read = query
        switch (key, value) {
        case ("m_Issuers", .array(let names)):
            read.issuers = names.compactMap { if case .data(let name) = $0 { name } else { nil } }
        case ("m_Policy", .reference(kind: "SecPolicy", let bytes)): read.policy = bytes
        case ("m_ValidOnDate", .date): read.validOn = .date(try AttributeKeys.date(value, of: "kSecMatchValidOnDate"))
        case ("m_ValidOnDate", .null): read.validOn = .now
        case ("m_TrustedOnly", .boolean(let truth)): read.isTrustedOnly = truth
        case ("m_EmailAddressIfPresent", .string(let address)): read.emailAddress = address
        default: throw .badValue(of: "kSecMatch" + key.dropFirst(2), expected: expected[key] ?? "of its kind")
        }
        if isForClass { query = read }
    }

    private static let expected = [
        "m_Issuers": "an array of DER names", "m_Policy": "a SecPolicy", "m_ValidOnDate": "a Date or null",
        "m_TrustedOnly": "a Boolean", "m_EmailAddressIfPresent": "text",
    ]

    private static func limit(_ value: PropertyValue) throws(QueryRefusal) -> ItemQuery.Limit {
        switch value {
        case .string("m_LimitOne"), .integer(1): return .one
        case .string("m_LimitAll"): return .all
        case .integer(let count) where count >= 0: return .count(count)
        default:
            throw .badValue(
                of: "kSecMatchLimit", expected: "a number, kSecMatchLimitOne or kSecMatchLimitAll")
        }
    }
}
