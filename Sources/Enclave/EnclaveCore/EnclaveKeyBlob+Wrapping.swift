package import LatchkeyAccessControl
package import LatchkeyCryptoSuite
package import LatchkeySecretMemory

/// The number or seed of a key, wrapped by the class key, inside by a key of the device, and inside of that by the key of an
/// application password, if the access control asks for one.
extension EnclaveKeyBlob {
    /// The label of the device's own key for this (`Docs/Formats/keybag.md`, others).
    package static let deviceKeyLabel = "enclave key"
    /// The label of the device's own key for seals.
    package static let sealKeyLabel = "enclave key seal"
    static let sealByteCount = HMACSHA256.byteCount

    /// A new key's blob.
    /// - Parameters:
    ///   - secret: the private number or seed, as long as the kind has it.
    ///   - accessControl: bound, for private keys, of a class that has a key; else the result is nil.
    ///   - passwordKey: exactly where the access control asks for an application password.
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

    /// Whether this device wrote everything that is in the clear. Needs no class key; says nothing of the secret.
    package func isSealed(with sealKey: SecretBox) -> Bool {
        HMACSHA256.isCode(seal, over: Self.sealed(head), key: sealKey)
    }

    private static func sealed(_ head: [UInt8]) -> [UInt8] {
        Array("latchkey enclave key\0".utf8) + head
    }

    /// The number or seed, if this device made this blob under this class key.
    /// - Parameter passwordKey: ignored where the access control asks for no application password.
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

    /// Whether this device made it under this class key and nobody altered it since, but for the seal; needs no
    /// application password.
    package func isGenuine(with classKey: SecretBox, deviceKey: SecretBox) -> Bool {
        KeyWrapping.isGenuine(
            wrapped, with: classKey, deviceKey: deviceKey, keyByteCount: kind.secretByteCount)
    }

    static func wrappedByteCount(of kind: EnclaveKeyKind, for control: AccessControl) -> Int {
        kind.secretByteCount + (control.needsApplicationPassword ? 3 : 2) * AESKeyWrap.overhead
    }

    private var wrapped: WrappedKey {
        WrappedKey(keyClass: keyClass, use: .signing, binding: head, bytes: wrappedSecret)
    }
}
