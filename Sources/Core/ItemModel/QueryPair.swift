package import LatchkeyPropertyListDER

/// One key and value of a query dictionary, before anybody looked at either. Keys need not be text.
package struct QueryPair: Sendable, Hashable {
    package let key: PropertyValue
    package let value: PropertyValue

    package init(key: PropertyValue, value: PropertyValue) {
        self.key = key
        self.value = value
    }

    package init(_ key: String, _ value: PropertyValue) {
        self.init(key: .string(key), value: value)
    }

    package init(_ name: AttributeName, _ value: PropertyValue) {
        self.init(name.rawValue, value)
    }

    /// The attribute that the pair is about; nil for other keys.
    package var name: AttributeName? {
        if case .string(let key) = key { AttributeName(column: key) } else { nil }
    }
}
