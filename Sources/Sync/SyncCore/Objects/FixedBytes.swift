/// The length of a byte string that is not interpreted here.
package protocol FixedFormat: Sendable {
    static var byteCount: Int { get }
    /// The value of the first byte, where the format prescribes one.
    static var firstByte: UInt8? { get }
}

extension FixedFormat {
    package static var firstByte: UInt8? { nil }
}

/// A byte string of the only length that its format allows.
package struct FixedBytes<Format: FixedFormat>: Hashable, Sendable {
    package static var byteCount: Int { Format.byteCount }

    package let bytes: [UInt8]

    /// Returns nil unless the length and, where it is prescribed, the first byte are right.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Format.byteCount, Format.firstByte == nil || bytes.first == Format.firstByte else {
            return nil
        }
        self.bytes = Array(bytes)
    }
}

/// A reader of the parts of a byte string whose parts have fixed lengths.
struct FixedBytesReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = Array(bytes)[...] }

    /// Returns nil if fewer bytes are left, or if they are not valid.
    mutating func next<Format>(_ type: FixedBytes<Format>.Type = FixedBytes<Format>.self) -> FixedBytes<Format>? {
        FixedBytes(next(Format.byteCount))
    }

    /// Returns fewer bytes if fewer are left.
    mutating func next(_ count: Int) -> ArraySlice<UInt8> {
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    var isAtEnd: Bool { rest.isEmpty }
}
