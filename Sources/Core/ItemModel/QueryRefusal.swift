/// A query that is refused before any row is read: the result code, and the rule in words.
package struct QueryRefusal: Error, Sendable, Equatable {
    package let code: ResultCode
    package let rule: Rule
    package let reason: String
    package let advice: String

    package init(_ code: ResultCode, _ rule: Rule, _ reason: String, advice: String) {
        self.code = code
        self.rule = rule
        self.reason = reason
        self.advice = advice
    }

    static func badValue(of key: String, expected: String) -> QueryRefusal {
        QueryRefusal(
            .param, .valueKind, "The value of \(key) is not \(expected).", advice: "Give \(key) \(expected).")
    }

    static func unknownKey(_ key: String, advice: String = "Remove the key.") -> QueryRefusal {
        QueryRefusal(.param, .unknownKey, "\(key) is not a key of keychain queries.", advice: advice)
    }

    static func unknownAttribute(_ key: String, of itemClass: ItemClass) -> QueryRefusal {
        QueryRefusal(
            .noSuchAttr, .unknownAttribute, "Items of class \(itemClass.rawValue) have no attribute \(key).",
            advice: "Remove the attribute, or use the class it belongs to.")
    }

    static func notAllowedHere(_ key: String, in operation: String, advice: String) -> QueryRefusal {
        QueryRefusal(.param, .keyNotAllowedHere, "\(key) has no place in \(operation).", advice: advice)
    }

    static func privateKey(_ key: String) -> QueryRefusal {
        QueryRefusal(
            .missingEntitlement, .privateAttribute, "\(key) needs a private entitlement.",
            advice: "Remove the key.")
    }

    /// The bytes are not a valid access control, or it has a protection class that items cannot have.
    package static let badAccessControl = QueryRefusal(
        .param, .badAccessControl, "The access control cannot be used for an item.",
        advice: "Make it with SecAccessControlCreateWithFlags.")

    static let tokenObjectAlone = QueryRefusal(
        .param, .tokenObjectAlone, "The query names an object of a token, and no token.",
        advice: "Give kSecAttrTokenID beside it.")

    package static func laterFeature(_ what: String) -> QueryRefusal {
        QueryRefusal(
            .unimplemented, .notInThisVersion, "\(what) not part of this version.",
            advice: "Use private keys of the enclave (kSecAttrTokenIDSecureEnclave), or leave kSecAttrTokenID out.")
    }
}
