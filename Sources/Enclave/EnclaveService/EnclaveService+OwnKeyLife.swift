import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeySecretMemory
import Synchronization

/// The keys that never leave the enclave: making them, telling what is left of them, and ending them.
extension EnclaveService {
    func create(_ key: NewEnclaveKey, under control: AccessControl, context: ContextIdentifier?) -> EnclaveReply {
        guard control.isForPrivateKeys, let keyClass = KeyClass(control.protection) else {
            return .refused(
                .malformed(reason: "a key's access control has privateKeyUsage and a protection with a class key"))
        }
        let (keys, keybag) = state.withLock { ($0.keys, $0.keybag) }
        guard let classKey = keys[keyClass] else {
            return .key(.refused(Self.refusal(for: keyClass, in: keybag)))
        }
        let passwordKey = control.needsApplicationPassword ? context.flatMap { standing(of: $0) }?.passwordKey : nil
        guard control.needsApplicationPassword == (passwordKey != nil) else {
            return .key(.refused(.authenticationNeeded))
        }
        switch binding(of: control) {
        case .notBound(let rule):
            return .context(.notBound(rule))
        case .bound(let control):
            guard let blob = newBlob(of: key, under: control, classKey: classKey, passwordKey: passwordKey) else {
                return .refused(.malformed(reason: "no key can be made under this access control"))
            }
            return .key(.created(blob: blob.bytes, publicKey: blob.publicKey))
        }
    }

    private func newBlob(
        of key: NewEnclaveKey, under control: AccessControl, classKey: SecretBox, passwordKey: SecretBox?
    ) -> EnclaveKeyBlob? {
        guard let made = OpenKey(new: key, entropy: entropy),
            let identifier = EnclaveKeyIdentifier(entropy.bytes(EnclaveKeyIdentifier.byteCount))
        else { return nil }
        return try? EnclaveKeyBlob(
            kind: key.kind, identifier: identifier, publicKey: made.publicKey, secret: made.secret,
            accessControl: control, classKey: classKey, deviceKey: ownKeysKey, sealKey: ownKeysSealKey,
            passwordKey: passwordKey, entropy: entropy)
    }

    func describe(_ blobs: [[UInt8]]) -> EnclaveReply {
        guard blobs.count <= EnclaveLimits.keysPerBatch else { return Self.tooManyBlobs(blobs.count) }
        var permissions = Permissions(for: .sign, of: nil, in: self)
        do throws(StorageFailure) {
            var descriptions: [KeyDescription] = []
            for blob in blobs { descriptions.append(try describe(blob, &permissions)) }
            return .key(.described(descriptions))
        } catch {
            return .refused(.storage(reason: error.description))
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
            // The seal of the blob is this device's: a key that does not open is of a former passcode's class key.
            return .gone(blob.keyClass == .whenPasscodeSetThisDeviceOnly ? .classKeyMissing : .damaged)
        }
        // Without any evidence: only what nothing can repair shows.
        if case .refused(.invalidated) = permissions.permission(under: blob.accessControl) {
            return .gone(.invalidated)
        }
        return present
    }

    func delete(_ blobs: [[UInt8]]) -> EnclaveReply {
        guard blobs.count <= EnclaveLimits.keysPerBatch else { return Self.tooManyBlobs(blobs.count) }
        let (keys, keybag) = state.withLock { ($0.keys, $0.keybag) }
        let ended = blobs.compactMap { bytes -> EnclaveKeyIdentifier? in
            guard let blob = sealedBlob(bytes) else { return nil }
            guard let classKey = keys[blob.keyClass] else {
                // What is locked must not come back, and its identifier is sealed. What has no class key any more
                // never does.
                return Self.refusal(for: blob.keyClass, in: keybag) == .locked ? blob.identifier : nil
            }
            return blob.isGenuine(with: classKey, deviceKey: ownKeysKey) ? blob.identifier : nil
        }
        do throws(StorageFailure) {
            if !ended.isEmpty { try deletedKeys.add(Set(ended)) }
        } catch {
            return .refused(.storage(reason: error.description))
        }
        openedKeys.forget(blobs)
        return .key(.done)
    }

    private static func tooManyBlobs(_ found: Int) -> EnclaveReply {
        .refused(.malformed(reason: "at most \(EnclaveLimits.keysPerBatch) keys at once, not \(found)"))
    }
}
