package import LatchkeyKeybag

/// The wrapped key of a protected file, as the file's header stores it, with everything that the wrapping depends on.
package struct WrappedFileKey: Sendable, Hashable {
    package let protection: FileProtection
    package let identifier: FileIdentifier
    package let bytes: [UInt8]

    /// Returns nil if no wrapped key of the class has this length. Such a file was damaged or altered.
    package init?(_ bytes: [UInt8], of identifier: FileIdentifier, _ protection: FileProtection) {
        guard bytes.count == Self.byteCount(protection) else { return nil }
        self.protection = protection
        self.identifier = identifier
        self.bytes = bytes
    }

    /// A key in an answer that fits its question.
    init(fitting bytes: [UInt8], of identifier: FileIdentifier, _ protection: FileProtection) {
        precondition(bytes.count == Self.byteCount(protection), "an answer of another length does not fit its question")
        self.protection = protection
        self.identifier = identifier
        self.bytes = bytes
    }

    /// The length of a wrapped key (`Docs/Formats/enclave-mailbox.md`). One of class B includes an ephemeral public key.
    package static func byteCount(_ protection: FileProtection) -> Int {
        protection == .completeUnlessOpen ? 72 : 40
    }

    /// The key as ``UnwrapKeys`` takes it.
    package var wrappedKey: WrappedKey {
        WrappedKey(keyClass: protection.keyClass, use: .file, binding: identifier.bytes, bytes: bytes)
    }
}
