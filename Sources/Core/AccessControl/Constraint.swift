/// A condition of an access control in the form in which it is evaluated.
package indirect enum Constraint: Sendable, Hashable {
    /// Nothing is asked.
    case always
    /// Biometry or passcode, whatever there is (`userPresence`).
    case deviceOwner
    case passcode
    /// Biometry of any enrolled finger.
    case biometry
    /// Biometry of one enrolment set; nil while the access control is not bound to one yet.
    case biometryOfSet(EnrolmentSet?)
    /// A paired device nearby. Never fulfilled here.
    case companion
    case all([Constraint])
    case any([Constraint])
}

/// The identity of what is enrolled with the sensor. Enrolling or removing a finger makes another one, and one that was
/// never comes back.
package struct EnrolmentSet: Sendable, Hashable {
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// Nil if there are not 16 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}
