import Foundation
import LatchkeyItemModel

/// A dictionary about keys that a program gave, read once: texts as keys, objects as values.
struct KeyDictionary {
    private(set) var values: [String: AnyObject] = [:]
    /// A key, or a text that stands under one, has half of a surrogate pair.
    private var hasIllFormedText = false

    init(_ dictionary: NSDictionary) {
        ObjectRuntime.forEach(in: dictionary) { key, value in
            if let text = value as? NSString, text.wellFormedText == nil { hasIllFormedText = true }
            guard let name = key as? NSString else { return }
            guard let text = name.wellFormedText else {
                hasIllFormedText = true
                return
            }
            values[text] = value
        }
    }

    /// Refuses a dictionary with ill-formed text, as queries with such text are refused.
    func checkText() throws(KeyCallFailure) {
        guard !hasIllFormedText else { throw .illFormedText }
    }

    subscript(_ name: String) -> AnyObject? { values[name] }
    subscript(_ name: AttributeName) -> AnyObject? { values[name.rawValue] }

    /// A number, or the decimal number in a text; nil if there is neither.
    func number(_ name: AttributeName) -> Int64? {
        switch self[name] {
        case let text as NSString: Int64(text.wellFormed)
        case let number as NSNumber: Int64(exactly: number)
        default: nil
        }
    }

    func text(_ name: AttributeName) -> String? { (self[name] as? NSString)?.wellFormed }

    func data(_ name: AttributeName) -> NSData? { self[name] as? NSData }

    /// Anything but a truth value counts as `other`.
    func truth(_ name: AttributeName, or other: Bool) -> Bool {
        guard let number = self[name] as? NSNumber, CFGetTypeID(number) == CFBooleanGetTypeID() else { return other }
        return number.boolValue
    }

    /// The dictionary under a name; empty if there is none.
    func dictionary(_ name: String) -> KeyDictionary {
        KeyDictionary(values[name] as? NSDictionary ?? [:])
    }

    /// With the values of another one, which win.
    func overlaid(by other: KeyDictionary) -> KeyDictionary {
        var merged = self
        merged.values.merge(other.values) { $1 }
        return merged
    }

    func without(_ names: [String]) -> KeyDictionary {
        var rest = self
        for name in names { rest.values[name] = nil }
        return rest
    }

    func with(_ name: String, _ value: AnyObject) -> KeyDictionary {
        var more = self
        more.values[name] = value
        return more
    }

    var object: NSDictionary { values as NSDictionary }
}
