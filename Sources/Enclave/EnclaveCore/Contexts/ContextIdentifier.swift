/// Names an authentication context of the enclave. A caller that knows it may use its evidence.
package struct ContextIdentifier: Sendable, Hashable {
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// Nil if there are not 16 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}
