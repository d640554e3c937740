package import LatchkeySecretMemory

/// A new key and the wrapped form that the enclave can unwrap again.
package struct CreatedKey: Sendable {
    package let key: SecretBox
    package let wrapped: [UInt8]

    package init(key: SecretBox, wrapped: [UInt8]) {
        self.key = key
        self.wrapped = wrapped
    }
}
