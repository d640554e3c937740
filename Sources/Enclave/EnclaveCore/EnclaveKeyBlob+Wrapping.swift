package import LatchkeyAccessControl
package import LatchkeyCryptoSuite
package import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// The private number or seed of a key, wrapped in layers. The innermost layer is the key of an application password,
/// if the access control requires one; then a key of the device; then the class key.
extension EnclaveKeyBlob {
    /// The label of the device key for the wrapping (`Docs/Formats/keybag.md`, others).
    package static let deviceKeyLabel = "enclave key"
    /// The label of the device key for the seal.
    package static let sealKeyLabel = "enclave key seal"

    /// Makes the blob of a new key.
    /// - Parameters:
    ///   - secret: the private number or seed, of the length that the kind requires.
    ///   - accessControl: must be bound, for private keys, and of a class with a class key; otherwise the result is
    ///     nil.
    ///   - passwordKey: given exactly if the access control requires an application password.
    package init?(
        kind: EnclaveKeyKind = .p256, identifier: EnclaveKeyIdentifier, publicKey: [UInt8], secret: SecretBox,
        accessControl: AccessControl, classKey: SecretBox, deviceKey: SecretBox, sealKey: SecretBox,
        passwordKey: SecretBox?, entropy: any Entropy
    ) throws(CryptoFailure) {
        precondition(secret.count == kind.secretByteCount, "a number or seed has the length of its kind")
        precondition(
            accessControl.needsApplicationPassword == (passwordKey != nil),
            "a key has the layers that its access control asks for")
        try self.init(
            kind: kind, identifier: identifier, publicKey: publicKey, accessControl: accessControl,
            seal: { HMACSHA256.code(over: Self.sealed($0), key: sealKey) },
            wrap: { binding throws(CryptoFailure) in
                try KeyWrapping.wrap(
                    secret, with: .classKey(classKey), use: .signing, binding: binding, deviceKey: deviceKey,
                    passwordKey: passwordKey, entropy: entropy)
            })
    }

    /// Returns true if this device sealed the clear part. It needs no class key and does not check the secret.
    package func isSealed(with sealKey: SecretBox) -> Bool {
        HMACSHA256.isCode(seal, over: Self.sealed(head), key: sealKey)
    }

    private static func sealed(_ head: [UInt8]) -> [UInt8] {
        Array("latchkey enclave key\0".utf8) + head
    }

    /// Returns the private number or seed, if this device made this blob under this class key.
    /// - Parameter passwordKey: ignored if the access control does not require an application password.
    package func secret(with classKey: SecretBox, deviceKey: SecretBox, passwordKey: SecretBox?) -> KeyOutcome {
        guard accessControl.needsApplicationPassword else {
            return KeyWrapping.unwrap(
                wrapped, with: classKey, deviceKey: deviceKey, keyByteCount: kind.secretByteCount)
        }
        guard let passwordKey else { return .refused(.authenticationNeeded) }
        return KeyWrapping.unwrap(
            wrapped, with: classKey, deviceKey: deviceKey, passwordKey: passwordKey,
            keyByteCount: kind.secretByteCount)
    }

    /// Returns true if this device made the blob under this class key and everything except the seal is unaltered. It
    /// needs no application password.
    package func isGenuine(with classKey: SecretBox, deviceKey: SecretBox) -> Bool {
        KeyWrapping.isGenuine(
            wrapped, with: classKey, deviceKey: deviceKey, keyByteCount: kind.secretByteCount)
    }

    private var wrapped: WrappedKey {
        WrappedKey(keyClass: keyClass, use: .signing, binding: head, bytes: wrappedSecret)
    }
}
