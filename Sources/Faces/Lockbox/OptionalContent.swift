/// An optional where its type is known as something else: generic code stores and reads `T`, which may be `String?`.
private protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    var content: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate static var wrappedType: Any.Type { Wrapped.self }
    fileprivate var content: Any? { self }
}

/// The content of an optional, at any depth of nesting.
enum OptionalContent {
    /// Nil if one of the value's optionals is.
    static func value(of value: any Encodable) -> (any Encodable)? {
        var value = value
        while let optional = value as? any OptionalValue {
            guard let content = optional.content as? any Encodable else { return nil }
            value = content
        }
        return value
    }

    static func type(of type: Any.Type) -> Any.Type {
        var type = type
        while let optional = type as? any OptionalValue.Type { type = optional.wrappedType }
        return type
    }
}
