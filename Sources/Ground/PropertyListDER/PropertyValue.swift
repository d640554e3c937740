import LatchkeyEncoding

/// A value of an item, a query or a message: the one value type below the faces.
///
/// Faces convert their own classes to it and back; the code below them does not know those classes.
package enum PropertyValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case string(String)
    case data([UInt8])
    /// Seconds since 2001-01-01 00:00:00 UTC, kept to whole microseconds by the encoding.
    case date(Double)
    case array([PropertyValue])
    case dictionary([String: PropertyValue])
    /// Stands for a secret beside the message: its index in the message's list of secrets.
    case secret(Int)
    /// An object that is not a property list: an access control (`kind` "SecAccessControl", its serialised form), or
    /// one that only names its type so that the receiver can refuse it.
    case reference(kind: String, bytes: [UInt8])

    /// The dates that the encoding can express: the years 0 to 9999. Earlier and later ones, and those that are not a
    /// number, are clamped, so a face has to refuse them.
    package static let dateRange: Range<Double> = WallTime.fourDigitYears
}
