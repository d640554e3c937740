import LatchkeyAccessControl
import LatchkeyCryptoSuite
package import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

/// Making, describing and deleting enclave keys.
extension EnclaveService {
    package func answer(_ question: MakeKey) throws(EnclaveRefusal) -> NewKeyAnswer {
        let control = question.accessControl
        guard control.isForPrivateKeys, let keyClass = KeyClass(control.protection) else {
            throw .malformed(reason: "a key's access control has privateKeyUsage and a protection with a class key")
        }
        let (keys, keybag) = state.withLock { ($0.keys, $0.keybag) }
        guard let classKey = keys[keyClass] else {
            return .refused(Self.refusal(for: keyClass, in: keybag))
        }
        let passwordKey =
            control.needsApplicationPassword ? question.context.flatMap { contextState(of: $0) }?.passwordKey : nil
        guard control.needsApplicationPassword == (passwordKey != nil) else {
            return .refused(.authenticationNeeded)
        }
        switch bound(control) {
        case .notBound(let rule):
            return .notBound(rule)
        case .bound(let control):
            guard let blob = newBlob(of: question.key, under: control, classKey: classKey, passwordKey: passwordKey)
            else {
                throw .malformed(reason: "no key can be made under this access control")
            }
            return .created(blob: blob.bytes, publicKey: blob.publicKey)
        }
    }

    private func newBlob(
        of key: NewEnclaveKey, under control: AccessControl, classKey: SecretBox, passwordKey: SecretBox?
    ) -> EnclaveKeyBlob? {
        guard let made = OpenEnclaveKey(new: key, entropy: entropy),
            let identifier = EnclaveKeyIdentifier(entropy.bytes(EnclaveKeyIdentifier.byteCount))
        else { return nil }
        return try? EnclaveKeyBlob(
            kind: key.kind, identifier: identifier, publicKey: made.publicKey, secret: made.secret,
            accessControl: control, classKey: classKey, deviceKey: ownKeysKey, sealKey: ownKeysSealKey,
            passwordKey: passwordKey, entropy: entropy)
    }

    package func answer(_ question: DescribeKeys) throws(EnclaveRefusal) -> [KeyDescription] {
        try checkCount(of: question.blobs)
        var permissions = Permissions(for: .sign, of: nil, in: self)
        return try stored { () throws(StorageFailure) in
            var descriptions: [KeyDescription] = []
            for blob in question.blobs { descriptions.append(try describe(blob, &permissions)) }
            return descriptions
        }
    }

    private func describe(
        _ bytes: [UInt8], _ permissions: inout Permissions
    ) throws(StorageFailure) -> KeyDescription {
        let (keys, keybag, epoch) = state.withLock { ($0.keys, $0.keybag, signal.epoch) }
        let known = openedKeys.key(of: bytes, in: epoch)
        guard let blob = known?.blob ?? sealedBlob(bytes) else { return .gone(.damaged) }
        guard try !deletedKeys.contains(blob.identifier) else { return .gone(.deleted) }
        let present = KeyDescription.present(publicKey: blob.publicKey, accessControl: blob.accessControl)
        guard let classKey = keys[blob.keyClass] else {
            let refusal = Self.refusal(for: blob.keyClass, in: keybag)
            return refusal == .locked ? present : .gone(refusal)
        }
        guard known != nil || blob.isGenuine(with: classKey, deviceKey: ownKeysKey) else {
            // This device sealed the blob. If the class key does not match, the key was made under the class key of a
            // former passcode.
            return .gone(blob.keyClass == .whenPasscodeSetThisDeviceOnly ? .classKeyMissing : .damaged)
        }
        // Judged without evidence: only a refusal that evidence cannot resolve matters.
        if permissions.refusal(under: blob.accessControl) == .invalidated { return .gone(.invalidated) }
        return present
    }

    package func answer(_ question: DeleteKeys) throws(EnclaveRefusal) -> KeysDeleted {
        let blobs = question.blobs
        try checkCount(of: blobs)
        let (keys, keybag) = state.withLock { ($0.keys, $0.keybag) }
        let ended = blobs.compactMap { bytes -> EnclaveKeyIdentifier? in
            guard let blob = sealedBlob(bytes) else { return nil }
            guard let classKey = keys[blob.keyClass] else {
                // A key whose class is locked must not become usable again; its sealed identifier is enough. A key
                // without a class key can never be used.
                return Self.refusal(for: blob.keyClass, in: keybag) == .locked ? blob.identifier : nil
            }
            return blob.isGenuine(with: classKey, deviceKey: ownKeysKey) ? blob.identifier : nil
        }
        if !ended.isEmpty { try stored { () throws(StorageFailure) in try deletedKeys.add(Set(ended)) } }
        openedKeys.forget(blobs)
        return KeysDeleted()
    }

    private func checkCount(of blobs: [[UInt8]]) throws(EnclaveRefusal) {
        guard blobs.count <= EnclaveLimits.keysPerBatch else {
            throw .malformed(reason: "at most \(EnclaveLimits.keysPerBatch) keys at once, not \(blobs.count)")
        }
    }
}
