/// The permanent identifier of an enclave key: random, and never reused.
package struct EnclaveKeyIdentifier: Sendable, Hashable, Comparable {
    package static let byteCount = 16

    // Two numbers instead of an array, because a device may have to remember a million identifiers.
    private let high: UInt64
    private let low: UInt64

    /// Returns nil unless there are 16 bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        high = unsafe UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        low = unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// Returns nil unless there are 16 bytes.
    package init?(_ bytes: [UInt8]) {
        let found = unsafe bytes.withUnsafeBytes { unsafe EnclaveKeyIdentifier($0) }
        guard let found else { return nil }
        self = found
    }

    package var bytes: [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, written in
            unsafe write(to: UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: Self.byteCount))
            written = Self.byteCount
        }
    }

    /// Writes the identifier to a buffer of 16 bytes.
    package func write(to room: UnsafeMutableRawBufferPointer) {
        unsafe room.storeBytes(of: high.bigEndian, as: UInt64.self)
        unsafe room.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }

    package static func < (one: EnclaveKeyIdentifier, other: EnclaveKeyIdentifier) -> Bool {
        (one.high, one.low) < (other.high, other.low)
    }
}
