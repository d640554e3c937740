/// The identifier of an authentication context of the enclave. A caller that has it can use the context's evidence.
package struct ContextIdentifier: Sendable, Hashable {
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// Returns nil unless there are 16 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}
