package import LatchkeyAccessControl

/// The keys that never leave the enclave. Each call documents its ``EnclaveKeyRequest``.
extension EnclaveInquiry where Answer == NewKeyAnswer {
    package static func newKey(
        _ key: NewEnclaveKey, under accessControl: AccessControl, context: ContextIdentifier?
    ) -> Self {
        Self(.key(.create(key, accessControl: accessControl, context: context))) { reply in
            switch reply {
            case .key(.created(let blob, let publicKey)): .created(blob: blob, publicKey: publicKey)
            case .key(.refused(let refusal)): .refused(refusal)
            case .context(.notBound(let rule)): .notBound(rule)
            default: nil
            }
        }
    }
}

extension EnclaveInquiry where Answer == KeyUseAnswer<[UInt8]> {
    package static func sign(digest: [UInt8], with blob: [UInt8], context: ContextIdentifier?) -> Self {
        signature(.sign(blob: blob, digest: digest, context: context))
    }

    package static func sign(
        message: [UInt8], contextString: [UInt8], with blob: [UInt8], context: ContextIdentifier?
    ) -> Self {
        signature(.signMessage(blob: blob, message: message, contextString: contextString, context: context))
    }

    private static func signature(_ request: EnclaveKeyRequest) -> Self {
        Self(.key(request)) { reply in
            switch reply {
            case .key(.signature(let signature)): .done(signature)
            case .key(.refused(let refusal)): .refused(refusal)
            case .key(.otherKind(let kind)): .otherKind(kind)
            default: nil
            }
        }
    }
}

extension EnclaveInquiry where Answer == KeyExchangeAnswer {
    package static func agree(with peer: [UInt8], by blob: [UInt8], context: ContextIdentifier?) -> Self {
        exchange(.agree(blob: blob, peer: peer, context: context))
    }

    package static func decapsulate(
        _ ciphertext: [UInt8], with blob: [UInt8], context: ContextIdentifier?
    ) -> Self {
        exchange(.decapsulate(blob: blob, ciphertext: ciphertext, context: context))
    }

    private static func exchange(_ request: EnclaveKeyRequest) -> Self {
        Self(.key(request)) { reply in
            switch reply {
            case .key(.agreed(let secret)): .agreed(secret)
            case .key(.refused(let refusal)): .refused(refusal)
            case .key(.otherKind(let kind)): .otherKind(kind)
            case .key(.badPeer): .badInput(.p256)
            case .key(.badCiphertext(let kind)): .badInput(kind)
            default: nil
            }
        }
    }
}

extension EnclaveInquiry where Answer == [KeyDescription] {
    /// One description for each blob.
    package static func describe(_ blobs: [[UInt8]]) -> Self {
        Self(.key(.describe(blobs))) { reply in
            if case .key(.described(let found)) = reply, found.count == blobs.count { found } else { nil }
        }
    }
}

extension EnclaveInquiry where Answer == Void {
    package static func delete(_ blobs: [[UInt8]]) -> Self {
        Self(.key(.delete(blobs))) { if case .key(.done) = $0 { () } else { nil } }
    }
}
