package import LatchkeySecretMemory

/// A fresh key and what the enclave will open again.
package struct CreatedKey: Sendable {
    package let key: SecretBox
    package let wrapped: [UInt8]

    package init(key: SecretBox, wrapped: [UInt8]) {
        self.key = key
        self.wrapped = wrapped
    }
}
