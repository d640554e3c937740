import PropertyListDER

/// `kSecValue…` keys.
enum ValueKeys {
    static func read(
        _ pairs: [String: PropertyValue], for call: QueryGrammar.Call, into query: inout ItemQuery
    ) throws(QueryRefusal) {
        for (key, value) in pairs.sorted(by: { $0.key < $1.key }) {
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
                throw refusal(ofReference: value)
            default:
                throw .unknownKey(key)
            }
        }
    }

    static func refusal(ofReference value: PropertyValue) -> QueryRefusal {
        if case .reference(let kind, _) = value, ["SecKey", "SecCertificate", "SecIdentity"].contains(kind) {
            return .laterFeature("\(kind) references are")
        }
        return .badValue(of: "kSecValueRef", expected: "a SecKey, SecCertificate or SecIdentity")
    }
}
