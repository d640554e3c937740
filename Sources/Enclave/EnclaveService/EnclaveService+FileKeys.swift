import LatchkeyAccessControl
import LatchkeyCryptoSuite
package import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

extension EnclaveService {
    package func answer(_ question: MakeFileKeys) throws(EnclaveRefusal) -> Result<[CreatedKey], KeyRefusal> {
        let (keyClass, identifiers) = (question.protection.keyClass, question.identifiers)
        guard (1...EnclaveLimits.keysPerBatch).contains(identifiers.count) else {
            throw .malformed(reason: "1 to \(EnclaveLimits.keysPerBatch) keys at once, not \(identifiers.count)")
        }
        let (keys, keybag) = loadedKeys(under: question.context)
        guard let wrappingKey = Self.wrappingKey(for: question.protection, keys, keybag) else {
            return .failure(Self.refusal(for: keyClass, in: keybag))
        }
        return newKeys(for: .file, bindings: identifiers.map(\.bytes), with: wrappingKey)
    }

    package func answer(_ question: RewrapKey) throws(EnclaveRefusal) -> Result<RewrappedKey, KeyRefusal> {
        let (wrapped, protection) = (question.key.wrappedKey, question.protection)
        let (keys, keybag) = state.withLock { ($0.keys, $0.keybag) }
        guard let classKey = keys[wrapped.keyClass] else {
            return .failure(Self.refusal(for: wrapped.keyClass, in: keybag))
        }
        guard let wrappingKey = Self.wrappingKey(for: protection, keys, keybag) else {
            return .failure(Self.refusal(for: protection.keyClass, in: keybag))
        }
        var permissions = Permissions(for: .decrypt, of: nil, in: self)
        let outcome: KeyOutcome =
            switch permissions.permission(for: wrapped) {
            case .granted(let grant): grant.open(with: classKey)
            case .refused(let refusal): .refused(refusal)
            }
        switch outcome {
        case .refused(let refusal):
            return .failure(refusal)
        case .key(let key):
            do throws(CryptoFailure) {
                return .success(
                    RewrappedKey(
                        try KeyWrapping.wrap(
                            key, with: wrappingKey, use: .file, binding: wrapped.binding, entropy: entropy)))
            } catch {
                // The key agreement fails only for an invalid public key.
                return .failure(.damaged)
            }
        }
    }

    /// Returns the key that wraps the keys of files now; nil if there is none in this lock state. Class B has its public
    /// half in every state.
    private static func wrappingKey(
        for protection: FileProtection, _ keys: ClassKeys, _ keybag: SystemKeybag
    ) -> KeyWrapping.WrappingKey? {
        if protection == .completeUnlessOpen, let publicKey = keybag.classBPublicKey { return .publicHalf(publicKey) }
        return keys[protection.keyClass].map { .classKey($0) }
    }
}
