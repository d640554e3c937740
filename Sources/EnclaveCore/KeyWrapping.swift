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

    package static func wrap(
        _ key: SecretBox, with wrappingKey: WrappingKey, use: KeyUse, binding: [UInt8], entropy: any Entropy
    ) throws(CryptoFailure) -> [UInt8] {
        switch wrappingKey {
        case .classKey(let classKey):
            return AESKeyWrap.wrap(key, with: bound(classKey, use: use, binding: binding))
        case .publicHalf(let publicKey):
            return try FileKeyAgreement.wrap(key, classPublicKey: publicKey, entropy: entropy) { agreed in
                bound(agreed, use: use, binding: binding)
            }
        }
    }

    /// A wrapped key in the open, if it was made under this class key for this use and binding.
    package static func unwrap(_ wrapped: WrappedKey, with classKey: SecretBox) -> KeyOutcome {
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
            return key.count == keyByteCount ? .key(key) : .refused(.damaged)
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
