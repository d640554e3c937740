/// The number of a generation of zone keys. The first is 1.
package struct EpochNumber: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let rawValue: UInt32

    package init(_ rawValue: UInt32) { self.rawValue = rawValue }

    package static let first = EpochNumber(1)

    /// Nil after the last number that can be written.
    package var next: EpochNumber? { rawValue == .max ? nil : EpochNumber(rawValue + 1) }

    package var description: String { String(rawValue) }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
