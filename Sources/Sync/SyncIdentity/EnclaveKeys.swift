internal import LatchkeyAsymmetricKeys
internal import LatchkeyCryptoSuite
internal import LatchkeyEnclaveContract
internal import LatchkeySecretMemory
internal import LatchkeySyncCore
internal import LatchkeySyncKeys

/// A signing key in the enclave.
struct EnclaveSigningKey: ObjectSigning {
    let blob: [UInt8]
    let enclave: any EnclaveMailbox
    let context: ContextIdentifier?

    func sign(_ message: [UInt8]) throws(SyncKeyFailure) -> StatementSignature {
        switch try enclave.answer(to: SignDigest(sha256(message), with: blob, context: context)) {
        case .signed(let der):
            guard let raw = ECDSASignature.raw(der: der, curve: .p256), let signature = StatementSignature(raw) else {
                throw .unavailable(reason: "the enclave's signature is not one of P-256")
            }
            return signature
        case .refused(let refusal): throw SyncKeyFailure(refusal)
        case .lacks(let proof): throw enclave.failure(proof, asked: context)
        case .otherKind: throw .damaged
        }
    }
}

/// Receive keys in the enclave.
struct EnclaveReceiveKeys: ShareReceiving {
    let agreement: [UInt8]
    let encapsulation: [UInt8]
    let publicKeys: ReceivePublicKeys
    let enclave: any EnclaveMailbox

    func agree(with peer: P256PublicKey) throws(SyncKeyFailure) -> SecretBox {
        try secret(in: try enclave.answer(to: AgreeOnKey(with: peer.bytes, by: agreement, context: nil)))
    }

    func decapsulate(_ ciphertext: [UInt8]) throws(SyncKeyFailure) -> SecretBox {
        try secret(in: try enclave.answer(to: Decapsulate(ciphertext, with: encapsulation, context: nil)))
    }

    private func secret(in answer: KeyExchangeAnswer) throws(SyncKeyFailure) -> SecretBox {
        switch answer {
        case .agreed(let secret): return secret
        case .refused(let refusal): throw SyncKeyFailure(refusal)
        case .lacks(let proof): throw enclave.failure(proof, asked: nil)
        case .otherKind, .badInput: throw .damaged
        }
    }
}

extension SyncKeyFailure {
    init(_ refusal: KeyRefusal) {
        self =
            switch refusal {
            case .locked: .locked
            case .authenticationNeeded, .wrongApplicationPassword: .passcodeNeeded
            case .classKeyMissing, .invalidated, .deleted: .gone
            case .damaged: .damaged
            }
    }
}

extension EnclaveMailbox {
    /// Returns the answer to a question. Throws a refusal of the device as ``SyncKeyFailure/unavailable(reason:)``.
    func answer<Question: EnclaveQuestion>(to question: Question) throws(SyncKeyFailure) -> Question.Answer {
        do throws(EnclaveRefusal) {
            return try ask(question)
        } catch {
            throw .unavailable(reason: "\(error)")
        }
    }

    /// Closes a context that the enclave opened for the proof that is missing.
    fileprivate func failure(_ proof: MissingProof, asked context: ContextIdentifier?) -> SyncKeyFailure {
        if proof.context != context { _ = try? ask(CloseContext(proof.context)) }
        return .passcodeNeeded
    }
}
