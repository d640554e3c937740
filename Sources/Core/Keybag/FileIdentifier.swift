/// The random identifier of a protected file. The wrapping of the file's key depends on it, so that the key cannot be
/// used for another file.
package struct FileIdentifier: Sendable, Hashable {
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// Returns nil unless there are 16 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}
