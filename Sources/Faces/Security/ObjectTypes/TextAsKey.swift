public import Foundation

/// Makes a dictionary with keys of any type find a text whether it is looked for as `NSString` or as `String`,
/// as it does on Apple platforms: `dictionary[kSecAttrAccount]`.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
    public func _toCustomAnyHashable() -> AnyHashable? {
        // A text that no String can hold stays itself: two such keys must not become one.
        wellFormedText.map { AnyHashable($0) }
    }
}
