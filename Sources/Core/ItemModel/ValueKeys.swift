import LatchkeyPropertyListDER

/// `kSecValue…` keys.
enum ValueKeys {
    static func read(
        _ pairs: SortedPairs, for call: QueryGrammar.Call, into query: inout ItemQuery
    ) throws(QueryRefusal) {
        for (key, value) in pairs.all(.value) {
            switch key {
            case "v_Data":
                guard case .secret(let index) = value else {
                    throw .badValue(of: "kSecValueData", expected: "Data")
                }
                query.dataSecret = index
            case "v_PersistentRef":
                guard call != .add else {
                    throw .notAllowedHere(
                        "kSecValuePersistentRef", in: call.rawValue,
                        advice: "A new item gets a reference of its own; ask for it with kSecReturnPersistentRef.")
                }
                guard case .data(let bytes) = value, let reference = PersistentReference(bytes) else {
                    throw .badValue(of: "kSecValuePersistentRef", expected: "a persistent reference")
                }
                query.persistentReference = reference
            case "v_Ref":
                guard call == .add, query.itemClass == .identity, isIdentity(value) else {
                    throw badReference
                }
                query.reference = value
            default:
                throw .unknownKey(key)
            }
        }
    }

    /// True if the value has the two parts of an identity that is added.
    private static func isIdentity(_ value: PropertyValue) -> Bool {
        guard case .dictionary(let parts) = value, parts.count == 2, case .dictionary? = parts["cert"],
            case .dictionary? = parts["keys"]
        else { return false }
        return true
    }

    static let badReference = QueryRefusal.badValue(
        of: "kSecValueRef", expected: "a SecKey, SecCertificate or SecIdentity")
}
