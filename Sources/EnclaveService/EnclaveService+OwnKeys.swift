import AccessControl
import AsymmetricKeys
import EnclaveCore
import EnclaveStorage
import Keybag
import SecretMemory
import Synchronization

/// The P-256 keys that never leave the enclave: using them.
extension EnclaveService {
    func perform(_ request: EnclaveKeyRequest) -> EnclaveReply {
        switch request {
        case .create(let accessControl, let context): create(under: accessControl, context: context)
        case .sign(let blob, let digest, let context): sign(digest, with: blob, context: context)
        case .agree(let blob, let peer, let context): agree(with: peer, by: blob, context: context)
        case .describe(let blobs): describe(blobs)
        case .delete(let blobs): delete(blobs)
        }
    }

    /// Why a key is not used.
    private enum UseFailure: Error {
        case refused(KeyRefusal)
        case storage(StorageFailure)

        var reply: EnclaveReply {
            switch self {
            case .refused(let refusal): .key(.refused(refusal))
            case .storage(let failure): .refused(.storage(reason: failure.description))
            }
        }
    }

    private func sign(_ digest: [UInt8], with blob: [UInt8], context: ContextIdentifier?) -> EnclaveReply {
        guard (1...EnclaveLimits.digestByteCount).contains(digest.count) else {
            let limit = EnclaveLimits.digestByteCount
            return .refused(.malformed(reason: "a digest to sign has 1 to \(limit) bytes, not \(digest.count)"))
        }
        return used(blob, for: .sign, context: context) { key throws(KeyOperationFailure) in
            .signature(try key.sign(digest, Self.signatures))
        }
    }

    private static let signatures = SignatureAlgorithm(.ecdsaX962, nil, takesMessage: false)

    private func agree(with peer: [UInt8], by blob: [UInt8], context: ContextIdentifier?) -> EnclaveReply {
        // Before anybody is asked for anything.
        guard let peer = try? PublicKey(externalRepresentation: peer, type: .ellipticCurve),
            peer.kind == .ellipticCurve(.p256)
        else { return .key(.badPeer) }
        return used(blob, for: .agreeOnKey, context: context) { key throws(KeyOperationFailure) in
            .agreed(try key.agree(with: peer))
        }
    }

    private func used(
        _ blob: [UInt8], for operation: GuardedOperation, context: ContextIdentifier?,
        _ use: (PrivateKey) throws(KeyOperationFailure) -> EnclaveKeyReply
    ) -> EnclaveReply {
        let key: PrivateKey
        do throws(UseFailure) {
            key = try privateKey(of: blob, for: operation, context: context)
        } catch {
            return error.reply
        }
        do throws(KeyOperationFailure) {
            return .key(try use(key))
        } catch {
            return .refused(.malformed(reason: "a key of P-256 does not do this: \(error)"))
        }
    }

    /// The key in the open, if it may be used now for this. What was opened before is not opened again, and is judged
    /// like everything else.
    private func privateKey(
        of bytes: [UInt8], for operation: GuardedOperation, context: ContextIdentifier?
    ) throws(UseFailure) -> PrivateKey {
        let (keys, keybag, epoch) = state.withLock { ($0.keys, $0.keybag, signal.epoch) }
        let known = openedKeys.key(of: bytes, in: epoch)
        guard let blob = known?.blob ?? sealedBlob(bytes) else { throw .refused(.damaged) }
        if try isDeleted(blob) {
            openedKeys.forget([bytes])
            throw .refused(.deleted)
        }
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
            if let known { return known.key }
            let key = try opened(blob, with: classKey, passwordKey: passwordKey)
            openedKeys.keep(OpenedKeys.Opened(blob: blob, key: key), for: bytes, in: epoch)
            return key
        }
    }

    private func opened(
        _ blob: EnclaveKeyBlob, with classKey: SecretBox, passwordKey: SecretBox?
    ) throws(UseFailure) -> PrivateKey {
        switch blob.number(with: classKey, deviceKey: ownKeysKey, passwordKey: passwordKey) {
        case .refused(let refusal):
            throw .refused(refusal)
        case .key(let number):
            // Whether number and point belong together is checked here.
            guard let key = try? PrivateKey(number: number, publicKey: blob.publicKey) else {
                throw .refused(.damaged)
            }
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

extension PrivateKey {
    private static let numberByteCount = 32

    /// The external representation of a P-256 key taken apart and put together again.
    fileprivate convenience init(number: SecretBox, publicKey: [UInt8]) throws(KeyFailure) {
        let representation = unsafe SecretBox(count: publicKey.count + number.count) { bytes in
            unsafe bytes.copyBytes(from: publicKey)
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[publicKey.count...])
            unsafe number.withBytes { unsafe rest.copyMemory(from: $0) }
        }
        try self.init(externalRepresentation: representation, type: .ellipticCurve)
    }

    /// Of a P-256 key.
    var number: SecretBox {
        let representation = externalRepresentation
        return representation.slice(representation.count - Self.numberByteCount..<representation.count)
    }
}
