import PropertyListDER

/// `kSecMatch…` keys: a find takes them, every other call refuses any of them.
enum MatchKeys {
    static func read(
        _ pairs: [(key: String, value: PropertyValue)], for call: QueryGrammar.Call, into query: inout ItemQuery
    ) throws(QueryRefusal) {
        guard call == .find else {
            guard let first = pairs.first else { return }
            throw .notAllowedHere(
                first.key == "m_Limit" ? "kSecMatchLimit" : "A kSecMatch… key", in: call.rawValue,
                advice: call == .add
                    ? "Leave it out."
                    : "\(call.rawValue) always acts on every item that fits; narrow the query with attributes.")
        }
        for (key, value) in pairs.sorted(by: { $0.key < $1.key }) {
            try readMatch(key, value, into: &query)
        }
    }

    private static func readMatch(
        _ key: String, _ value: PropertyValue, into query: inout ItemQuery
    ) throws(QueryRefusal) {
        switch key {
        case "m_Limit":
            query.limit = try limit(value)
        case "m_Issuers", "m_Policy":
            throw QueryRefusal(
                .unimplemented, "match-for-certificates", "\(key) is for certificates and identities only.",
                advice: "Leave it out of a search for passwords.")
        case "m_HostOrSubdomainOfHost":
            guard query.itemClass == .internetPassword else {
                throw QueryRefusal(
                    .unimplemented, "match-for-internet-passwords", "\(key) is for internet passwords only.",
                    advice: "Leave it out, or search for kSecClassInternetPassword.")
            }
            guard case .string(let host) = value else {
                throw .badValue(of: "kSecMatchHostOrSubdomainOfHost", expected: "text")
            }
            query.hostOrSubdomain = host
        case "m_ValidOnDate":
            switch value {
            case .date, .null: return
            default: throw .badValue(of: "kSecMatchValidOnDate", expected: "a Date or null")
            }
        case "m_TrustedOnly":
            guard case .boolean = value else { throw .badValue(of: "kSecMatchTrustedOnly", expected: "a Boolean") }
        case "m_EmailAddressIfPresent":
            guard case .string = value else {
                throw .badValue(of: "kSecMatchEmailAddressIfPresent", expected: "text")
            }
        default:
            // Unknown match keys, and those of the file keychain, are accepted and do nothing.
            return
        }
    }

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
