/// The reliability of a program's identity (`Docs/Threats`).
package enum AssuranceLevel: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Signed, and out of reach of other software of the same user: setgid, so that the kernel ignores preloaded
    /// libraries and refuses to trace it.
    case a = "A"
    /// Signed: tells honest programs apart, but software of the same user can put code into it.
    case b = "B"
    /// Not signed: known by its path.
    case c = "C"

    /// Compares levels; a stronger one is greater.
    package static func < (left: AssuranceLevel, right: AssuranceLevel) -> Bool {
        left.rawValue > right.rawValue
    }
}
