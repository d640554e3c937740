/// The visibility of a value in a message.
///
/// By default numbers and truth values are visible, and texts and objects are `<private>`. There is no way to make the
/// private ones visible afterwards: they are not written anywhere.
public struct OSLogPrivacy: Sendable {
    /// The replacement of a value that is redacted.
    public enum Mask: Hashable, Sendable {
        /// A code of the value. It is the same for the same value in one process, and tells nothing else about it.
        case hash
        case none
    }

    enum Visibility: Hashable, Sendable {
        case visible
        case redacted
        /// As the kind of the value says.
        case automatic
    }

    let visibility: Visibility
    let mask: Mask

    public static var `public`: OSLogPrivacy { OSLogPrivacy(visibility: .visible, mask: .none) }
    public static var `private`: OSLogPrivacy { .private(mask: .none) }
    public static var sensitive: OSLogPrivacy { .sensitive(mask: .none) }
    public static var auto: OSLogPrivacy { .auto(mask: .none) }

    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(visibility: .redacted, mask: mask) }
    public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(visibility: .redacted, mask: mask) }
    public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(visibility: .automatic, mask: mask) }

    /// The text of a value in a message. It is made only for a visible value, or for its code.
    func text(isScalar: Bool, _ value: () -> String) -> String {
        let isVisible = visibility == .visible || visibility == .automatic && isScalar
        // A mask is for what is redacted.
        if isVisible { return value() }
        return mask == .hash ? "<mask.hash: '\(ValueMask.code(of: value()))'>" : "<private>"
    }
}
