/// A query that is refused before any row is read: the result code, and the rule in words.
package struct QueryRefusal: Error, Sendable, Equatable {
    package let code: ResultCode
    /// The rule in words, without gaps.
    package let text: RuleText

    package var rule: Rule { text.rule }
    package var reason: String { text.reason }
    package var advice: String { text.advice }

    /// Creates a refusal from the texts of its rule and the values for their gaps.
    package init(_ code: ResultCode, _ rule: Rule, _ values: any CustomStringConvertible...) {
        self.init(code, rule.text.filled(with: values))
    }

    /// Creates a refusal from a text that is more exact than the one of its rule.
    package init(_ code: ResultCode, as occasion: Rule.Occasion, _ values: any CustomStringConvertible...) {
        self.init(code, occasion.text.filled(with: values))
    }

    private init(_ code: ResultCode, _ filled: RuleText) {
        self.code = code
        text = filled
    }

    static func badValue(of key: String, expected: String) -> QueryRefusal {
        QueryRefusal(.param, .valueKind, key, expected)
    }

    static func unknownKey(_ key: String, advice: String = "Remove the key.") -> QueryRefusal {
        QueryRefusal(.param, .unknownKey, key, advice)
    }

    static func unknownAttribute(_ key: String, of itemClass: ItemClass) -> QueryRefusal {
        QueryRefusal(.noSuchAttr, .unknownAttribute, itemClass.rawValue, key)
    }

    static func notAllowedHere(_ key: String, in operation: String, advice: String) -> QueryRefusal {
        QueryRefusal(.param, .keyNotAllowedHere, key, operation, advice)
    }

    static func privateKey(_ key: String) -> QueryRefusal {
        QueryRefusal(.missingEntitlement, .privateAttribute, key)
    }

    /// The bytes are not a valid access control, or it has a protection class that items cannot have.
    package static let badAccessControl = QueryRefusal(.param, .badAccessControl)

    static let tokenObjectAlone = QueryRefusal(.param, .tokenObjectAlone)

    package static func laterFeature(_ what: String) -> QueryRefusal {
        QueryRefusal(.unimplemented, .notInThisVersion, what)
    }
}
