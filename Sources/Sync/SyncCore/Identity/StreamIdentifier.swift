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

/// Per stream the number of the last segment that a device has applied. Streams that are missing have the number 0.
package struct VersionVector: Hashable, Sendable {
    private var numbers: [StreamIdentifier: UInt64]

    package init(_ numbers: [StreamIdentifier: UInt64] = [:]) {
        self.numbers = numbers.filter { $0.value > 0 }
    }

    package subscript(_ stream: StreamIdentifier) -> UInt64 {
        get { numbers[stream] ?? 0 }
        set { numbers[stream] = newValue > 0 ? newValue : nil }
    }

    package var streams: some Collection<StreamIdentifier> { numbers.keys }

    package func covers(_ dot: Dot) -> Bool { self[dot.stream] >= dot.number }

    package func covers(_ other: VersionVector) -> Bool {
        other.numbers.allSatisfy { self[$0.key] >= $0.value }
    }

    /// Takes the greater number of each stream.
    package mutating func formUnion(_ other: VersionVector) {
        numbers.merge(other.numbers) { max($0, $1) }
    }
}
