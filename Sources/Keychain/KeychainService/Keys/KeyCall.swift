import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// A question of a program about an enclave key, with the authentication that it may use. It is answered again after
/// each prompt.
struct KeyCall: KeyAnswers {
    let enclave: any EnclaveMailbox
    let enclaveKeys: EnclaveKeyVault
    let finder: ItemFinder
    let guarded: GuardedCall

    func answer(_ question: CreateEnclaveKey) throws(Setback) -> CreatedEnclaveKey {
        try ItemProtection.check(question.accessControl, beside: nil)
        guard question.accessControl.isForPrivateKeys else { throw .call(.privateKeyUsageMissing) }
        let accessControl = try enclave.bound(question.accessControl)
        let making = MakeKey(question.key, under: accessControl, context: guarded.context.opened)
        switch try enclave.answer(to: making) {
        case .created(let blob, let publicKey): return CreatedEnclaveKey(blob: blob, publicKey: publicKey)
        case .notBound(let rule?): throw .authentication(AuthenticationFailure(rule))
        case .notBound(nil): throw .call(CallFailure(.badAccessControl))
        case .refused(let refusal):
            // Creating a key can require an application password and no other factor, like attesting.
            let need = guarded.need(refusal, to: .attest, isNew: true, under: { accessControl })
            if let need { throw .need(need) }
            throw .call(.keyNotMade(refusal, KeyClass(accessControl.protection) ?? .whenUnlocked))
        }
    }

    func answer(_ question: DescribeEnclaveKey) throws(Setback) -> EnclaveKeyDescription {
        try description(of: question.blob)
    }

    func answer(_ question: SignWithKey) throws(Setback) -> EnclaveKeySignature {
        let signing = SignDigest(question.digest, with: question.blob, context: guarded.context.opened)
        return try signature(enclave.answer(to: signing), by: question.blob, of: "digests")
    }

    func answer(_ question: SignMessageWithKey) throws(Setback) -> EnclaveKeySignature {
        let signing = SignMessage(
            question.signedMessage, contextString: question.contextString, with: question.blob,
            context: guarded.context.opened)
        return try signature(enclave.answer(to: signing), by: question.blob, of: "messages")
    }

    func answer(_ question: AgreeWithKey) throws(Setback) -> EnclaveKeySecret {
        let blob = question.blob
        let agreement = AgreeOnKey(with: question.peer, by: blob, context: guarded.context.opened)
        switch try enclave.answer(to: agreement) {
        case .agreed(let secret): return EnclaveKeySecret(secret)
        case .badInput: throw .call(CallFailure(EnclaveKeyRefusal.badPeer))
        case .otherKind(let kind): throw .call(.otherKeyKind(kind, does: "agree with a peer"))
        case .lacks(let proof): throw need(proof, of: blob, .agreeOnKey)
        case .refused(let refusal): throw try setback(of: blob, refusal, .agreeOnKey)
        }
    }

    func answer(_ question: DecapsulateWithKey) throws(Setback) -> EnclaveKeySecret {
        let (blob, ciphertext) = (question.blob, question.ciphertext)
        switch try enclave.answer(to: Decapsulate(ciphertext, with: blob, context: guarded.context.opened)) {
        case .agreed(let secret): return EnclaveKeySecret(secret)
        case .badInput(let kind):
            throw .call(CallFailure(EnclaveKeyRefusal.badCiphertext(ciphertext.count, kind)))
        case .otherKind(let kind): throw .call(.otherKeyKind(kind, does: "open ciphertexts"))
        case .lacks(let proof): throw need(proof, of: blob, .decapsulate)
        case .refused(let refusal): throw try setback(of: blob, refusal, .decapsulate)
        }
    }

    private func signature(
        _ answer: SignatureAnswer, by blob: [UInt8], of signed: String
    ) throws(Setback) -> EnclaveKeySignature {
        switch answer {
        case .signed(let bytes): return EnclaveKeySignature(bytes)
        case .otherKind(let kind): throw .call(.otherKeyKind(kind, does: "sign \(signed)"))
        case .lacks(let proof): throw need(proof, of: blob, .sign)
        case .refused(let refusal): throw try setback(of: blob, refusal, .sign)
        }
    }

    private func need(_ proof: MissingProof, of blob: [UInt8], _ operation: GuardedOperation) -> Setback {
        .need(guarded.need(proof, to: operation, on: finder.name(ofKey: blob, guarded.caller)))
    }

    /// Returns the reason why a key was not used: it requires authentication, the device is locked, or the key no
    /// longer exists.
    private func setback(
        of blob: [UInt8], _ refusal: KeyRefusal, _ operation: GuardedOperation
    ) throws(Setback) -> Setback {
        let need = try guarded.need(refusal, to: operation, on: finder.name(ofKey: blob, guarded.caller)) {
            () throws(Setback) in
            try description(of: blob).accessControl
        }
        if let need { return .need(need) }
        guard refusal == .locked else { return .call(.enclaveKeyGone(refusal)) }
        let protection = (try? description(of: blob))?.accessControl.protection
        return .call(.locked(protection.flatMap { KeyClass($0) } ?? .whenUnlocked))
    }

    private func description(of blob: [UInt8]) throws(Setback) -> EnclaveKeyDescription {
        switch try enclaveKeys.descriptions(of: [blob])[0] {
        case .present(let publicKey, let accessControl):
            return EnclaveKeyDescription(publicKey: publicKey, accessControl: accessControl)
        case .gone(let refusal): throw .call(.enclaveKeyGone(refusal))
        }
    }
}
