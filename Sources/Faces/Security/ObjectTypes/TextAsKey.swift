public import Foundation

/// Makes a dictionary with keys of any type find a text by `NSString` and by `String`, like on Apple platforms:
/// `dictionary[kSecAttrAccount]`.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
    public func _toCustomAnyHashable() -> AnyHashable? {
        // A text that cannot be a String stays as it is: two such keys must not become one.
        wellFormedText.map { AnyHashable($0) }
    }
}
