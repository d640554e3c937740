import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
package import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeyPostQuantumKeys
import LatchkeySecretMemory
import LatchkeyThreading

/// Using enclave keys.
extension EnclaveService {
    /// The reason why a key is not used.
    private enum UseFailure: Error {
        case refused(KeyRefusal)
        case lacks(MissingProof)
        /// The key or the input is not suitable for the question.
        case unfit(Unfit)
        case device(EnclaveRefusal)
    }

    /// A mismatch of key or input that is found before the user is prompted.
    private enum Unfit {
        case otherKind(EnclaveKeyKind)
        case badInput(EnclaveKeyKind)
    }

    package func answer(_ question: SignDigest) throws(EnclaveRefusal) -> SignatureAnswer {
        let digest = question.digest
        guard (1...EnclaveLimits.digestByteCount).contains(digest.count) else {
            let limit = EnclaveLimits.digestByteCount
            throw .malformed(reason: "a digest to sign has 1 to \(limit) bytes, not \(digest.count)")
        }
        return try signature(with: question.blob, context: question.context, unless: Self.isOther(than: .p256)) { key in
            try key.onP256().sign(digest, Self.signatures)
        }
    }

    private static let signatures = SignatureAlgorithm(.ecdsaX962, nil, takesMessage: false)

    package func answer(_ question: AgreeOnKey) throws(EnclaveRefusal) -> KeyExchangeAnswer {
        // Checked before the user is prompted.
        guard let peer = try? PublicKey(externalRepresentation: question.peer, type: .ellipticCurve),
            peer.kind == .ellipticCurve(.p256)
        else { return .badInput(.p256) }
        return try secret(
            with: question.blob, for: .agreeOnKey, context: question.context, unless: Self.isOther(than: .p256)
        ) { key in try key.onP256().agree(with: peer) }
    }

    package func answer(_ question: SignMessage) throws(EnclaveRefusal) -> SignatureAnswer {
        for (name, bytes, limit) in [
            ("a message to sign", question.message, EnclaveLimits.messageByteCount),
            ("its context string", question.contextString, EnclaveLimits.contextStringByteCount),
        ] where bytes.count > limit {
            throw .malformed(reason: "\(name) has at most \(limit) bytes, not \(bytes.count)")
        }
        let isUnfit = { (kind: EnclaveKeyKind) -> Unfit? in
            kind.messageSignatureByteCount == nil ? .otherKind(kind) : nil
        }
        return try signature(with: question.blob, context: question.context, unless: isUnfit) { key in
            try key.postQuantum().sign(question.message, contextString: question.contextString)
        }
    }

    package func answer(_ question: Decapsulate) throws(EnclaveRefusal) -> KeyExchangeAnswer {
        let isUnfit = { (kind: EnclaveKeyKind) -> Unfit? in
            guard let byteCount = kind.ciphertextByteCount else { return .otherKind(kind) }
            return question.ciphertext.count == byteCount ? nil : .badInput(kind)
        }
        return try secret(
            with: question.blob, for: .decapsulate, context: question.context, unless: isUnfit
        ) { key in try key.postQuantum().decapsulate(question.ciphertext) }
    }

    private static func isOther(than kind: EnclaveKeyKind) -> (EnclaveKeyKind) -> Unfit? {
        { $0 == kind ? nil : .otherKind($0) }
    }

    /// - Parameter isUnfit: returns why a key of this kind cannot answer the question; called before the user is
    ///   prompted.
    private func signature(
        with blob: [UInt8], context: ContextIdentifier?, unless isUnfit: (EnclaveKeyKind) -> Unfit?,
        _ sign: (OpenEnclaveKey) throws -> [UInt8]
    ) throws(EnclaveRefusal) -> SignatureAnswer {
        do throws(UseFailure) {
            return .signed(try used(blob, for: .sign, context: context, unless: isUnfit, sign))
        } catch {
            switch error {
            case .refused(let refusal): return .refused(refusal)
            case .lacks(let proof): return .lacks(proof)
            case .unfit(.otherKind(let kind)), .unfit(.badInput(let kind)): return .otherKind(kind)
            case .device(let refusal): throw refusal
            }
        }
    }

    /// - Parameter isUnfit: see ``signature(with:context:unless:_:)``.
    private func secret(
        with blob: [UInt8], for operation: GuardedOperation, context: ContextIdentifier?,
        unless isUnfit: (EnclaveKeyKind) -> Unfit?, _ exchange: (OpenEnclaveKey) throws -> SecretBox
    ) throws(EnclaveRefusal) -> KeyExchangeAnswer {
        do throws(UseFailure) {
            return .agreed(try used(blob, for: operation, context: context, unless: isUnfit, exchange))
        } catch {
            switch error {
            case .refused(let refusal): return .refused(refusal)
            case .lacks(let proof): return .lacks(proof)
            case .unfit(.otherKind(let kind)): return .otherKind(kind)
            case .unfit(.badInput(let kind)): return .badInput(kind)
            case .device(let refusal): throw refusal
            }
        }
    }

    private func used<Made>(
        _ blob: [UInt8], for operation: GuardedOperation, context: ContextIdentifier?,
        unless isUnfit: (EnclaveKeyKind) -> Unfit?, _ use: (OpenEnclaveKey) throws -> Made
    ) throws(UseFailure) -> Made {
        let key = try ownKey(of: blob, for: operation, context: context, unless: isUnfit)
        do { return try use(key) } catch {
            throw .device(.malformed(reason: "the key does not do this: \(error)"))
        }
    }

    /// Returns the key if it may be used now for this operation. A key that was unwrapped before is not unwrapped
    /// again, but the rule is judged each time.
    private func ownKey(
        of bytes: [UInt8], for operation: GuardedOperation, context: ContextIdentifier?,
        unless isUnfit: (EnclaveKeyKind) -> Unfit?
    ) throws(UseFailure) -> OpenEnclaveKey {
        let (keys, keybag, epoch) = state.withLock { ($0.keys, $0.keybag, signal.epoch) }
        let known = openedKeys.key(of: bytes, in: epoch)
        guard let blob = known?.blob ?? sealedBlob(bytes) else { throw .refused(.damaged) }
        if try isDeleted(blob) {
            openedKeys.forget([bytes])
            throw .refused(.deleted)
        }
        if let unfit = isUnfit(blob.kind) { throw .unfit(unfit) }
        guard let classKey = keys[blob.keyClass] else {
            throw .refused(Self.refusal(for: blob.keyClass, in: keybag))
        }
        var permissions = Permissions(for: operation, of: context, in: self)
        switch permissions.permission(for: blob) {
        case .refused(let refusal):
            // An altered rule is damage, whatever evidence it requires.
            guard known != nil || blob.isGenuine(with: classKey, deviceKey: ownKeysKey) else {
                throw .refused(.damaged)
            }
            guard refusal == .authenticationNeeded else { throw .refused(refusal) }
            throw missing(for: operation, under: blob.accessControl, context: context)
        case .granted(let grant):
            if blob.keyClass.availability == .onlyWhileUnlocked { noteUse(under: keybag.settings) }
            if let known { return grant.release(known) }
            let key = try opened(blob, with: classKey, grant)
            openedKeys.keep(OpenedKeys.Opened(blob: blob, key: key), for: bytes, in: epoch)
            return key
        }
    }

    /// Returns the missing evidence of the conditions, with a context that can receive it.
    private func missing(
        for operation: GuardedOperation, under control: AccessControl, context: ContextIdentifier?
    ) -> UseFailure {
        guard let receiver = context ?? newContext() else { return .refused(.authenticationNeeded) }
        let assessment = answer(AssessDemand(.accessControl(control, operation), in: receiver))
        guard case .known(let verdict) = assessment, verdict != .granted else {
            // The state changed since the refusal. A context that the caller does not learn of must not stay open.
            if context == nil { _ = contexts.close(receiver) }
            return .refused(.authenticationNeeded)
        }
        return .lacks(MissingProof(accessControl: control, verdict: verdict, context: receiver))
    }

    private func opened(
        _ blob: EnclaveKeyBlob, with classKey: SecretBox, _ grant: consuming AccessGrant<EnclaveKeyBlob>
    ) throws(UseFailure) -> OpenEnclaveKey {
        switch grant.open(with: classKey, deviceKey: ownKeysKey) {
        case .refused(let refusal):
            throw .refused(refusal)
        case .key(let secret):
            guard let key = OpenEnclaveKey(secret, of: blob) else { throw .refused(.damaged) }
            return key
        }
    }

    private func isDeleted(_ blob: EnclaveKeyBlob) throws(UseFailure) -> Bool {
        do throws(StorageFailure) { return try deletedKeys.contains(blob.identifier) } catch {
            throw .device(.storage(reason: error.description))
        }
    }

    /// Parses a blob; nil unless this device sealed its clear part. No part of a blob is trusted before that.
    func sealedBlob(_ bytes: [UInt8]) -> EnclaveKeyBlob? {
        guard let blob = try? EnclaveKeyBlob(parsing: bytes), blob.isSealed(with: ownKeysSealKey) else { return nil }
        return blob
    }
}

extension OpenEnclaveKey {
    /// The caller has already checked the kind.
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
