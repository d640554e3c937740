import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

/// One row of a grammar table: a call with a dictionary, and the rule it must break.
struct GrammarCase: Sendable, CustomTestStringConvertible {
    let name: String
    let call: QueryGrammar.Call
    let pairs: [QueryPair]
    let code: ResultCode
    let rule: Rule

    /// A query for generic passwords with `pairs` besides the class.
    init(
        _ name: String, _ call: QueryGrammar.Call, _ pairs: [String: PropertyValue], _ code: ResultCode, _ rule: Rule,
        itemClass: PropertyValue? = .string("genp")
    ) {
        var all = pairs
        all["class"] = itemClass
        self.init(name, call, raw: all.map { QueryPair($0.key, $0.value) }, code, rule)
    }

    init(
        _ name: String, _ call: QueryGrammar.Call, raw pairs: [QueryPair], _ code: ResultCode, _ rule: Rule
    ) {
        self.name = name
        self.call = call
        self.pairs = pairs
        self.code = code
        self.rule = rule
    }

    var testDescription: String { "\(call.rawValue): \(name)" }
}

/// The answer of a grammar to a dictionary: nothing, or code and rule.
struct Answer: Equatable, Sendable {
    let code: ResultCode
    let rule: Rule

    init(_ code: ResultCode, _ rule: Rule) {
        self.code = code
        self.rule = rule
    }

    init?(_ body: () throws(QueryRefusal) -> Void) {
        do {
            try body()
            return nil
        } catch {
            self.init(error.code, error.rule)
        }
    }
}

/// Dictionaries for tests, in the order in which they are written.
func pairs(_ pairs: KeyValuePairs<String, PropertyValue>) -> [QueryPair] {
    pairs.map { QueryPair($0.key, $0.value) }
}

/// Attributes by the names of their columns.
func named(_ columns: [String: PropertyValue]) -> [AttributeName: PropertyValue] {
    columns.reduce(into: [:]) { attributes, column in
        if let name = AttributeName(column: column.key) { attributes[name] = column.value }
    }
}

let someReference = Array("genp".utf8) + [UInt8](repeating: 7, count: 16)
let legacyReference = Array("genp".utf8) + [0, 0, 0, 0, 0, 0, 0, 5]
