import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeyPostQuantumKeys
import LatchkeySecretMemory
import Synchronization

/// The keys that never leave the enclave: using them.
extension EnclaveService {
    func perform(_ request: EnclaveKeyRequest) -> EnclaveReply {
        switch request {
        case .create(let key, let accessControl, let context): create(key, under: accessControl, context: context)
        case .sign(let blob, let digest, let context): sign(digest, with: blob, context: context)
        case .agree(let blob, let peer, let context): agree(with: peer, by: blob, context: context)
        case .describe(let blobs): describe(blobs)
        case .delete(let blobs): delete(blobs)
        case .signMessage(let blob, let message, let contextString, let context):
            sign(message, in: contextString, with: blob, context: context)
        case .decapsulate(let blob, let ciphertext, let context):
            decapsulate(ciphertext, by: blob, context: context)
        }
    }

    /// Why a key is not used.
    private enum UseFailure: Error {
        case refused(KeyRefusal)
        /// The key is another one than the request is for.
        case unfit(EnclaveKeyReply)
        case storage(StorageFailure)

        var reply: EnclaveReply {
            switch self {
            case .refused(let refusal): .key(.refused(refusal))
            case .unfit(let reply): .key(reply)
            case .storage(let failure): .refused(.storage(reason: failure.description))
            }
        }
    }

    private func sign(_ digest: [UInt8], with blob: [UInt8], context: ContextIdentifier?) -> EnclaveReply {
        guard (1...EnclaveLimits.digestByteCount).contains(digest.count) else {
            let limit = EnclaveLimits.digestByteCount
            return .refused(.malformed(reason: "a digest to sign has 1 to \(limit) bytes, not \(digest.count)"))
        }
        return used(blob, for: .sign, context: context, unless: Self.isOther(than: .p256)) { key in
            .signature(try key.onP256().sign(digest, Self.signatures))
        }
    }

    private static let signatures = SignatureAlgorithm(.ecdsaX962, nil, takesMessage: false)

    private func agree(with peer: [UInt8], by blob: [UInt8], context: ContextIdentifier?) -> EnclaveReply {
        // Before anybody is asked for anything.
        guard let peer = try? PublicKey(externalRepresentation: peer, type: .ellipticCurve),
            peer.kind == .ellipticCurve(.p256)
        else { return .key(.badPeer) }
        return used(blob, for: .agreeOnKey, context: context, unless: Self.isOther(than: .p256)) { key in
            .agreed(try key.onP256().agree(with: peer))
        }
    }

    private func sign(
        _ message: [UInt8], in contextString: [UInt8], with blob: [UInt8], context: ContextIdentifier?
    ) -> EnclaveReply {
        for (name, bytes, limit) in [
            ("a message to sign", message, EnclaveLimits.messageByteCount),
            ("its context string", contextString, EnclaveLimits.contextStringByteCount),
        ] where bytes.count > limit {
            return .refused(.malformed(reason: "\(name) has at most \(limit) bytes, not \(bytes.count)"))
        }
        let isUnfit = { (kind: EnclaveKeyKind) -> EnclaveKeyReply? in
            kind.messageSignatureByteCount == nil ? .otherKind(kind) : nil
        }
        return used(blob, for: .sign, context: context, unless: isUnfit) { key in
            .signature(try key.postQuantum().sign(message, contextString: contextString))
        }
    }

    private func decapsulate(_ ciphertext: [UInt8], by blob: [UInt8], context: ContextIdentifier?) -> EnclaveReply {
        let isUnfit = { (kind: EnclaveKeyKind) -> EnclaveKeyReply? in
            guard let byteCount = kind.ciphertextByteCount else { return .otherKind(kind) }
            return ciphertext.count == byteCount ? nil : .badCiphertext(kind)
        }
        return used(blob, for: .decapsulate, context: context, unless: isUnfit) { key in
            .agreed(try key.postQuantum().decapsulate(ciphertext))
        }
    }

    private static func isOther(than kind: EnclaveKeyKind) -> (EnclaveKeyKind) -> EnclaveKeyReply? {
        { $0 == kind ? nil : .otherKind($0) }
    }

    /// - Parameter isUnfit: why a key of this kind is none for the request, before anybody is asked for anything.
    private func used(
        _ blob: [UInt8], for operation: GuardedOperation, context: ContextIdentifier?,
        unless isUnfit: (EnclaveKeyKind) -> EnclaveKeyReply?, _ use: (OpenKey) throws -> EnclaveKeyReply
    ) -> EnclaveReply {
        let key: OpenKey
        do throws(UseFailure) {
            key = try ownKey(of: blob, for: operation, context: context, unless: isUnfit)
        } catch {
            return error.reply
        }
        do {
            return .key(try use(key))
        } catch {
            return .refused(.malformed(reason: "the key does not do this: \(error)"))
        }
    }

    /// The key in the open, if it may be used now for this. What was opened before is not opened again, and is judged
    /// like everything else.
    private func ownKey(
        of bytes: [UInt8], for operation: GuardedOperation, context: ContextIdentifier?,
        unless isUnfit: (EnclaveKeyKind) -> EnclaveKeyReply?
    ) throws(UseFailure) -> OpenKey {
        let (keys, keybag, epoch) = state.withLock { ($0.keys, $0.keybag, signal.epoch) }
        let known = openedKeys.key(of: bytes, in: epoch)
        guard let blob = known?.blob ?? sealedBlob(bytes) else { throw .refused(.damaged) }
        if try isDeleted(blob) {
            openedKeys.forget([bytes])
            throw .refused(.deleted)
        }
        if let reply = isUnfit(blob.kind) { throw .unfit(reply) }
        guard let classKey = keys[blob.keyClass] else {
            throw .refused(Self.refusal(for: blob.keyClass, in: keybag))
        }
        var permissions = Permissions(for: operation, of: context, in: self)
        switch permissions.judge(blob.accessControl) {
        case .refused(let refusal):
            // A rule that was altered is damage, whatever it asks for now.
            guard known != nil || blob.isGenuine(with: classKey, deviceKey: ownKeysKey) else {
                throw .refused(.damaged)
            }
            throw .refused(refusal)
        case .granted(let passwordKey):
            if blob.keyClass.availability == .onlyWhileUnlocked { noteUse(under: keybag.settings) }
            if let known { return known.key }
            let key = try opened(blob, with: classKey, passwordKey: passwordKey)
            openedKeys.keep(OpenedKeys.Opened(blob: blob, key: key), for: bytes, in: epoch)
            return key
        }
    }

    private func opened(
        _ blob: EnclaveKeyBlob, with classKey: SecretBox, passwordKey: SecretBox?
    ) throws(UseFailure) -> OpenKey {
        switch blob.secret(with: classKey, deviceKey: ownKeysKey, passwordKey: passwordKey) {
        case .refused(let refusal):
            throw .refused(refusal)
        case .key(let secret):
            guard let key = OpenKey(secret, of: blob) else { throw .refused(.damaged) }
            return key
        }
    }

    private func isDeleted(_ blob: EnclaveKeyBlob) throws(UseFailure) -> Bool {
        do throws(StorageFailure) { return try deletedKeys.contains(blob.identifier) } catch { throw .storage(error) }
    }

    /// Nil unless this device wrote what is in the clear: nothing of a blob is believed before.
    func sealedBlob(_ bytes: [UInt8]) -> EnclaveKeyBlob? {
        guard let blob = try? EnclaveKeyBlob(parsing: bytes), blob.isSealed(with: ownKeysSealKey) else { return nil }
        return blob
    }
}

extension OpenKey {
    /// That the kinds fit was looked at before.
    fileprivate func onP256() throws(UnfitKey) -> PrivateKey {
        guard case .p256(let key) = self else { throw UnfitKey() }
        return key
    }

    fileprivate func postQuantum() throws(UnfitKey) -> PostQuantumKey {
        guard case .postQuantum(let key) = self else { throw UnfitKey() }
        return key
    }
}

private struct UnfitKey: Error {}
