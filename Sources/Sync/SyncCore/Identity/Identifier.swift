import LatchkeyEncoding

/// Sixteen bytes that name a device, a circle or an item; the phantom type keeps one from being taken for another.
///
/// Identifiers are ordered as their bytes: ties between devices are broken by this order.
package struct Identifier<Subject>: Hashable, Sendable, Comparable, CustomStringConvertible {
    package static var byteCount: Int { 16 }

    private let high: UInt64
    private let low: UInt64

    /// Returns nil unless there are ``byteCount`` bytes.
    ///
    /// Not for any collection: other modules would call that without knowing which one, byte by byte, and a device reads one for each item.
    package init?(_ bytes: ArraySlice<UInt8>) {
        guard let high = UInt64(bigEndianBytes: bytes.prefix(8)), let low = UInt64(bigEndianBytes: bytes.dropFirst(8))
        else { return nil }
        self.init(high: high, low: low)
    }

    package init?(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The identifier as two words, most significant first.
    package var words: (UInt64, UInt64) { (high, low) }

    package var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }

    package var description: String { Hexadecimal.text(bytes) }

    package func hash(into hasher: inout Hasher) {
        // Both: another member can choose names that have one of them in common.
        hasher.combine(high)
        hasher.combine(low)
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

/// The subjects of identifiers. They have no values.
package enum DeviceSubject {}
package enum CircleSubject {}
package enum NameSubject {}
package enum SegmentSubject {}

/// The first 16 bytes of SHA-256 over a version byte and the public keys of a device. Never reused: a device that joins again is a new one.
package typealias DeviceIdentifier = Identifier<DeviceSubject>
/// The first 16 bytes of SHA-256 over the founding statement.
package typealias CircleIdentifier = Identifier<CircleSubject>
/// The first 16 bytes of HMAC-SHA256 over class and primary key of an item, under the circle's name key: equal on every device.
package typealias ItemName = Identifier<NameSubject>
/// The first 16 bytes of the hash of a segment: enough to notice that two devices have different ones under one number.
package typealias SegmentMark = Identifier<SegmentSubject>

extension ObjectHash {
    package var mark: SegmentMark { SegmentMark(high: words.0, low: words.1) }
}
