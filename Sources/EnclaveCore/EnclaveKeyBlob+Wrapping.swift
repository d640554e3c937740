package import AccessControl
package import CryptoSuite
package import SecretMemory

/// The number of a key, wrapped by the class key, inside by a key of the device, and inside of that by the key of an
/// application password, if the access control asks for one.
extension EnclaveKeyBlob {
    /// The label of the device's own key for this (`Docs/Formats/keybag.md`, others).
    package static let deviceKeyLabel = "enclave key"
    /// The label of the device's own key for seals.
    package static let sealKeyLabel = "enclave key seal"
    static let sealByteCount = HMACSHA256.byteCount

    /// A new key's blob.
    /// - Parameters:
    ///   - number: the private number, 32 bytes.
    ///   - accessControl: bound, for private keys, of a class that has a key; else the result is nil.
    ///   - passwordKey: exactly where the access control asks for an application password.
    package init?(
        identifier: EnclaveKeyIdentifier, publicKey: [UInt8], number: SecretBox,
        accessControl: AccessControl, classKey: SecretBox, deviceKey: SecretBox, sealKey: SecretBox,
        passwordKey: SecretBox?, entropy: any Entropy
    ) throws(CryptoFailure) {
        precondition(number.count == KeyWrapping.keyByteCount, "a number of P-256 has 32 bytes")
        precondition(
            accessControl.needsApplicationPassword == (passwordKey != nil),
            "a key has the layers that its access control asks for")
        try self.init(
            identifier: identifier, publicKey: publicKey, accessControl: accessControl,
            seal: { HMACSHA256.code(over: Self.sealed($0), key: sealKey) },
            wrap: { binding throws(CryptoFailure) in
                try KeyWrapping.wrap(
                    number, with: .classKey(classKey), use: .signing, binding: binding, deviceKey: deviceKey,
                    passwordKey: passwordKey, entropy: entropy)
            })
    }

    /// Whether this device wrote everything that is in the clear. Needs no class key; says nothing of the number.
    package func isSealed(with sealKey: SecretBox) -> Bool {
        HMACSHA256.isCode(seal, over: Self.sealed(head), key: sealKey)
    }

    private static func sealed(_ head: [UInt8]) -> [UInt8] {
        Array("latchkey enclave key\0".utf8) + head
    }

    /// The number, if this device made this blob under this class key.
    /// - Parameter passwordKey: ignored where the access control asks for no application password.
    package func number(with classKey: SecretBox, deviceKey: SecretBox, passwordKey: SecretBox?) -> KeyOutcome {
        guard accessControl.needsApplicationPassword else {
            return KeyWrapping.unwrap(wrapped, with: classKey, deviceKey: deviceKey)
        }
        guard let passwordKey else { return .refused(.authenticationNeeded) }
        return KeyWrapping.unwrap(wrapped, with: classKey, deviceKey: deviceKey, passwordKey: passwordKey)
    }

    /// Whether this device made it under this class key and nobody altered it since, but for the seal; needs no
    /// application password.
    package func isGenuine(with classKey: SecretBox, deviceKey: SecretBox) -> Bool {
        KeyWrapping.isGenuine(wrapped, with: classKey, deviceKey: deviceKey)
    }

    static func wrappedByteCount(for control: AccessControl) -> Int {
        KeyWrapping.keyByteCount + (control.needsApplicationPassword ? 3 : 2) * AESKeyWrap.overhead
    }

    private var wrapped: WrappedKey {
        WrappedKey(keyClass: keyClass, use: .signing, binding: head, bytes: wrappedNumber)
    }
}
