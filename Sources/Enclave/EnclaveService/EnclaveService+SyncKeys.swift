import LatchkeyCryptoSuite
package import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

extension EnclaveService {
    package func answer(_ question: WrapSyncKey) throws(EnclaveRefusal) -> Result<RewrappedKey, KeyRefusal> {
        let (keyClass, binding) = (question.keyClass, question.binding)
        try Self.check(keyClass, .sync, binding)
        guard question.key.count == EnclaveLimits.keyByteCount else {
            let expected = EnclaveLimits.keyByteCount
            throw .malformed(reason: "a secret of a circle has \(expected) bytes, not \(question.key.count)")
        }
        let (keys, keybag) = state.withLock { ($0.keys, $0.keybag) }
        guard let classKey = keys[keyClass] else { return .failure(Self.refusal(for: keyClass, in: keybag)) }
        do throws(CryptoFailure) {
            return .success(
                RewrappedKey(
                    try KeyWrapping.wrap(
                        question.key, with: .classKey(classKey), use: .sync, binding: binding, entropy: entropy)))
        } catch {
            // The key agreement of file classes alone can fail.
            return .failure(.damaged)
        }
    }
}
