/// The two kinds of streams of a device: which zone key seals a segment, and so in which lock states it can be opened.
package enum ZoneClass: UInt8, Hashable, Sendable, Comparable, CaseIterable {
    /// Items of `kSecAttrAccessibleWhenUnlocked`: opened while the device is unlocked.
    case a = 1
    /// Items of `kSecAttrAccessibleAfterFirstUnlock` and `kSecAttrAccessibleAlways`, and every deletion: opened after the first unlock.
    case c = 2

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// One stream of segments: those of one device and one class, numbered from 1.
package struct StreamIdentifier: Hashable, Sendable, Comparable {
    package let device: DeviceIdentifier
    package let zone: ZoneClass

    package init(_ device: DeviceIdentifier, _ zone: ZoneClass) {
        self.device = device
        self.zone = zone
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.device, left.zone) < (right.device, right.zone)
    }
}

/// Where a record was published: a segment of a stream.
package struct Dot: Hashable, Sendable, Comparable {
    package let stream: StreamIdentifier
    /// From 1.
    package let number: UInt64

    package init(_ stream: StreamIdentifier, _ number: UInt64) {
        self.stream = stream
        self.number = number
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.stream, left.number) < (right.stream, right.number)
    }
}
