/// The kind of a key of a query, told by its form alone. A key of another form is refused.
enum KeyShape {
    /// A callback of the dictionary. It changes nothing.
    case withoutEffect
    case itemClass
    case attribute
    case match
    case returnOrUse
    case value

    init(_ key: String) throws(QueryRefusal) {
        let byteCount = key.utf8.count
        if byteCount == 4 {
            self = .attribute
        } else if key == "class" {
            self = .itemClass
        } else if key.hasPrefix("m_") {
            self = .match
        } else if key.hasPrefix("r_") || key.hasPrefix("u_") {
            self = .returnOrUse
        } else if key.hasPrefix("v_") {
            self = .value
        } else if key.hasPrefix("f"), byteCount > 1 {
            self = .withoutEffect
        } else {
            throw .unknownKey(key.hasPrefix("c") ? key : byteCount > 64 ? "A key of \(byteCount) bytes" : "\"\(key)\"")
        }
    }
}
