internal import LatchkeyCryptoSuite

/// The identity of one state of a head: the SHA-256 of its bytes, signature included.
package struct HeadMark: Hashable, Sendable {
    package static let byteCount = 32

    package let bytes: [UInt8]

    package init(of head: [UInt8]) {
        bytes = sha256(head)
    }

    /// Returns nil unless there are ``byteCount`` bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}
