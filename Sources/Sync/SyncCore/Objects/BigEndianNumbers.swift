/// Numbers in objects and tables: the most significant byte first.
extension FixedWidthInteger where Self: UnsignedInteger {
    package var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }

    /// Returns nil unless there are as many bytes as the number has.
    package init?(bigEndianBytes bytes: ArraySlice<UInt8>) {
        guard bytes.count == Self.bitWidth / 8 else { return nil }
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }

    package init?(bigEndianBytes bytes: [UInt8]) {
        self.init(bigEndianBytes: bytes[...])
    }
}
