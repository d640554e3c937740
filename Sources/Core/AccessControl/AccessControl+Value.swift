package import LatchkeyPropertyListDER

/// An access control as the value of `kSecAttrAccessControl`, in queries and in answers.
extension AccessControl {
    /// The kind of the reference that stands for it.
    package static let referenceKind = "SecAccessControl"

    package var value: PropertyValue { .reference(kind: Self.referenceKind, bytes: serialised) }

    /// Nil for another kind of value, and for bytes that are not the form of an access control.
    package init?(_ value: PropertyValue) {
        guard case .reference(kind: Self.referenceKind, let bytes) = value,
            let accessControl = try? AccessControl(serialised: bytes)
        else { return nil }
        self = accessControl
    }
}
