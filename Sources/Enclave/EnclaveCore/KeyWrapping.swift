package import LatchkeyCryptoSuite
package import LatchkeyEnclaveContract
import LatchkeyKeybag
package import LatchkeySecretMemory

/// Wraps item keys under class keys. The wrapping key depends on the use and the binding
/// (`Docs/Formats/enclave-mailbox.md`), so that neither can be changed without the key.
package enum KeyWrapping {
    package static let keyByteCount = EnclaveLimits.keyByteCount

    /// The part of a class key that is available for wrapping.
    package enum WrappingKey: Sendable {
        case classKey(SecretBox)
        /// The public half of class B, which can wrap keys but not unwrap them.
        case publicHalf([UInt8])
    }

    /// - Parameters:
    ///   - deviceKey: adds an inner layer that only this device can unwrap, even if an attacker has the class key.
    ///   - passwordKey: adds the innermost layer, under the key of an application password.
    package static func wrap(
        _ key: SecretBox, with wrappingKey: WrappingKey, use: KeyUse, binding: [UInt8], deviceKey: SecretBox? = nil,
        passwordKey: SecretBox? = nil, entropy: any Entropy
    ) throws(CryptoFailure) -> [UInt8] {
        var layer = key
        for innerKey in [passwordKey, deviceKey].compactMap({ $0 }) {
            layer = SecretBox(copying: AESKeyWrap.wrap(layer, with: bound(innerKey, use: use, binding: binding)))
        }
        switch wrappingKey {
        case .classKey(let classKey):
            return AESKeyWrap.wrap(layer, with: bound(classKey, use: use, binding: binding))
        case .publicHalf(let publicKey):
            return try FileKeyAgreement.wrap(layer, classPublicKey: publicKey, entropy: entropy) { agreed in
                bound(agreed, use: use, binding: binding)
            }
        }
    }

    /// Unwraps a key, if it was wrapped under this class key for this use and binding.
    /// - Parameters:
    ///   - deviceKey: unwraps the layer of the device.
    ///   - passwordKey: unwraps the innermost layer. A wrong password is distinguished from damage, because the outer
    ///     layers were unwrapped.
    ///   - keyByteCount: the expected length of the key; any other length is damage.
    package static func unwrap(
        _ wrapped: WrappedKey, with classKey: SecretBox, deviceKey: SecretBox? = nil, passwordKey: SecretBox? = nil,
        keyByteCount: Int = keyByteCount
    ) -> KeyOutcome {
        let byteCount = keyByteCount + (passwordKey == nil ? 0 : AESKeyWrap.overhead)
        switch outerLayers(of: wrapped, with: classKey, deviceKey: deviceKey, byteCount: byteCount) {
        case .refused(let refusal):
            return .refused(refusal)
        case .key(let layer):
            guard let passwordKey else { return .key(layer) }
            return innerLayer(of: layer, of: wrapped, with: passwordKey, otherwise: .wrongApplicationPassword)
        }
    }

    /// Returns true if the key was wrapped under this class key, on this device, for this use and binding. The
    /// application password is not checked.
    package static func isGenuine(
        _ wrapped: WrappedKey, with classKey: SecretBox, deviceKey: SecretBox? = nil,
        keyByteCount: Int = keyByteCount
    ) -> Bool {
        [keyByteCount, keyByteCount + AESKeyWrap.overhead].contains { byteCount in
            let layer = outerLayers(of: wrapped, with: classKey, deviceKey: deviceKey, byteCount: byteCount)
            return if case .key = layer { true } else { false }
        }
    }

    /// Unwraps the layers of class key and device.
    private static func outerLayers(
        of wrapped: WrappedKey, with classKey: SecretBox, deviceKey: SecretBox?, byteCount: Int
    ) -> KeyOutcome {
        guard let deviceKey else { return outerLayer(of: wrapped, with: classKey, byteCount: byteCount) }
        switch outerLayer(of: wrapped, with: classKey, byteCount: byteCount + AESKeyWrap.overhead) {
        case .refused(let refusal): return .refused(refusal)
        case .key(let layer): return innerLayer(of: layer, of: wrapped, with: deviceKey, otherwise: .damaged)
        }
    }

    private static func innerLayer(
        of layer: SecretBox, of wrapped: WrappedKey, with key: SecretBox, otherwise refusal: KeyRefusal
    ) -> KeyOutcome {
        // The bytes are still wrapped and therefore not secret.
        let bytes = unsafe layer.withBytes { unsafe Array($0) }
        let wrappingKey = bound(key, use: wrapped.use, binding: wrapped.binding)
        guard let opened = try? AESKeyWrap.unwrap(bytes, with: wrappingKey) else { return .refused(refusal) }
        return .key(opened)
    }

    private static func outerLayer(
        of wrapped: WrappedKey, with classKey: SecretBox, byteCount: Int
    ) -> KeyOutcome {
        do throws(CryptoFailure) {
            let key: SecretBox
            if wrapped.keyClass == .fileCompleteUnlessOpen {
                key = try FileKeyAgreement.unwrap(wrapped.bytes, classPrivateKey: classKey) { agreed in
                    bound(agreed, use: wrapped.use, binding: wrapped.binding)
                }
            } else {
                key = try AESKeyWrap.unwrap(
                    wrapped.bytes, with: bound(classKey, use: wrapped.use, binding: wrapped.binding))
            }
            return key.count == byteCount ? .key(key) : .refused(.damaged)
        } catch {
            return .refused(.damaged)
        }
    }

    private static func bound(_ key: SecretBox, use: KeyUse, binding: [UInt8]) -> SecretBox {
        let length = UInt32(binding.count)
        let prefix = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
        return HMACSHA256.secret(over: Array("latchkey".utf8) + [use.rawValue] + prefix + binding, key: key)
    }
}
