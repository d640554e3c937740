package import LatchkeySecretMemory

/// The two keys of a message. A child of `fork` has a copy: a message that is being written or read goes on there, also one
/// whose encryptor was only made before.
package struct MessageKeys: Sendable {
    package static let byteCount = 32

    /// For AES-256.
    package let encryption: SecretBox
    /// For HMAC-SHA256.
    package let authentication: SecretBox

    package init(encryption: SecretBox, authentication: SecretBox) throws(MessageFailure) {
        for key in [encryption, authentication] where key.count != Self.byteCount {
            throw .badKeyLength(found: key.count)
        }
        self.encryption = encryption.keptOnFork()
        self.authentication = authentication.keptOnFork()
    }
}
