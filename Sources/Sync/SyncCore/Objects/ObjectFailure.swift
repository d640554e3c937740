/// A reason for which bytes are not an object of the store.
package enum ObjectFailure: Error, Hashable, Sendable {
    /// The bytes do not begin with ``ObjectContent/magic``.
    case notObject
    /// The object needs a later release.
    case unknownVersion(UInt8)
    case unknownKind(UInt8)
    case tooLarge(found: Int, limit: Int)
    case truncated
    case trailingBytes(Int)
    /// A fixed field has a value that no writer gives it.
    case notCanonical
}
