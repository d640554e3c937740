package import CryptoSuite
import Keybag
package import SecretMemory

/// Wraps item keys under class keys. The use and the binding are mixed into the wrapping key
/// (`Docs/Formats/enclave-mailbox.md`), so that neither can be changed beside the wrapped key.
package enum KeyWrapping {
    package static let keyByteCount = 32

    /// What a class key is at hand for wrapping.
    package enum WrappingKey: Sendable {
        case classKey(SecretBox)
        /// The public half of class B: enough to make keys, not to open them.
        case publicHalf([UInt8])
    }

    /// - Parameter passwordKey: adds an inner layer under the key of an application password.
    package static func wrap(
        _ key: SecretBox, with wrappingKey: WrappingKey, use: KeyUse, binding: [UInt8],
        passwordKey: SecretBox? = nil, entropy: any Entropy
    ) throws(CryptoFailure) -> [UInt8] {
        var layer = key
        if let passwordKey {
            layer = SecretBox(copying: AESKeyWrap.wrap(key, with: bound(passwordKey, use: use, binding: binding)))
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

    /// A wrapped key in the open, if it was made under this class key for this use and binding.
    /// - Parameter passwordKey: opens the inner layer. A wrong one is told from damage: the outer layer has opened.
    package static func unwrap(
        _ wrapped: WrappedKey, with classKey: SecretBox, passwordKey: SecretBox? = nil
    ) -> KeyOutcome {
        guard let passwordKey else { return outerLayer(of: wrapped, with: classKey, byteCount: keyByteCount) }
        switch outerLayer(of: wrapped, with: classKey, byteCount: keyByteCount + AESKeyWrap.overhead) {
        case .refused(let refusal):
            return .refused(refusal)
        case .key(let layer):
            // Still wrapped, so no secret yet.
            let bytes = unsafe layer.withBytes { unsafe Array($0) }
            let inner = bound(passwordKey, use: wrapped.use, binding: wrapped.binding)
            guard let key = try? AESKeyWrap.unwrap(bytes, with: inner) else {
                return .refused(.wrongApplicationPassword)
            }
            return .key(key)
        }
    }

    /// Whether it was made under this class key for this use and binding; says nothing of an application password.
    package static func isGenuine(_ wrapped: WrappedKey, with classKey: SecretBox) -> Bool {
        [keyByteCount, keyByteCount + AESKeyWrap.overhead].contains { byteCount in
            if case .key = outerLayer(of: wrapped, with: classKey, byteCount: byteCount) { true } else { false }
        }
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
