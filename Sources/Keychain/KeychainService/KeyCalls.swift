import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
package import LatchkeyKeychainMessages

/// The requests of programs for operations on enclave keys.
extension KeychainService {
    /// Blocks while the user is prompted. An operation that requires no authentication is one message to the enclave.
    ///
    /// - Parameter session: the session of the call's connection, as for items.
    package func perform(_ request: KeyRequest, caller: Caller, session: ServiceSession? = nil) -> KeyReply {
        let reply = answer(request, caller, session)
        records.put(reply, to: request, by: caller)
        return reply
    }

    private func answer(_ request: KeyRequest, _ caller: Caller, _ session: ServiceSession?) -> KeyReply {
        do throws(Setback) {
            try GroupChoice.checkCaller(caller)
            if let failure = request.lengthFailure { throw .call(failure) }
            let call = try GuardedCall(request.interaction, caller, session, enclave)
            return try authentication.inRounds(call) { () throws(Setback) in
                switch request {
                case .create(let key, let accessControl, _): try create(key, accessControl, call)
                case .sign(let blob, let digest, _): try sign(blob, digest, call)
                case .agree(let blob, let peer, _): try agree(blob, peer, call)
                case .describe(let blob): try described(blob)
                case .signMessage(let blob, let message, let contextString, _):
                    try sign(message, contextString, blob, call)
                case .decapsulate(let blob, let ciphertext, _): try decapsulate(blob, ciphertext, call)
                }
            }
        } catch {
            return reply(to: failure(error), request, caller)
        }
    }

    private func create(
        _ key: NewEnclaveKey, _ wanted: AccessControl, _ call: GuardedCall
    ) throws(Setback) -> KeyReply {
        try ItemProtection.check(wanted, beside: nil)
        guard wanted.isForPrivateKeys else { throw .call(.privateKeyUsageMissing) }
        let accessControl = try enclave.bound(wanted)
        switch try enclave.answer(to: MakeKey(key, under: accessControl, context: call.context.opened)) {
        case .created(let blob, let publicKey): return .created(blob: blob, publicKey: publicKey)
        case .notBound(let rule?): throw .authentication(AuthenticationFailure(rule))
        case .notBound(nil): throw .call(CallFailure(.badAccessControl))
        case .refused(let refusal):
            // Creating a key can require an application password and no other factor, like attesting.
            let need = call.need(refusal, to: .attest, isNew: true, under: { accessControl })
            if let need { throw .need(need) }
            throw .call(.keyNotMade(refusal, KeyClass(accessControl.protection) ?? .whenUnlocked))
        }
    }

    private func sign(_ blob: [UInt8], _ digest: [UInt8], _ call: GuardedCall) throws(Setback) -> KeyReply {
        switch try enclave.answer(to: SignDigest(digest, with: blob, context: call.context.opened)) {
        case .signed(let signature): return .signature(signature)
        case .otherKind(let kind): throw .call(.otherKeyKind(kind, does: "sign digests"))
        case .lacks(let proof): throw need(proof, of: blob, .sign, call)
        case .refused(let refusal): throw try failure(of: blob, refusal, .sign, call)
        }
    }

    private func sign(
        _ message: [UInt8], _ contextString: [UInt8], _ blob: [UInt8], _ call: GuardedCall
    ) throws(Setback) -> KeyReply {
        let question = SignMessage(
            message, contextString: contextString, with: blob, context: call.context.opened)
        switch try enclave.answer(to: question) {
        case .signed(let signature): return .signature(signature)
        case .otherKind(let kind): throw .call(.otherKeyKind(kind, does: "sign messages"))
        case .lacks(let proof): throw need(proof, of: blob, .sign, call)
        case .refused(let refusal): throw try failure(of: blob, refusal, .sign, call)
        }
    }

    private func decapsulate(_ blob: [UInt8], _ ciphertext: [UInt8], _ call: GuardedCall) throws(Setback) -> KeyReply {
        switch try enclave.answer(to: Decapsulate(ciphertext, with: blob, context: call.context.opened)) {
        case .agreed(let secret): return .agreed(secret)
        case .badInput(let kind): throw .call(.badCiphertext(ciphertext.count, kind))
        case .otherKind(let kind): throw .call(.otherKeyKind(kind, does: "open ciphertexts"))
        case .lacks(let proof): throw need(proof, of: blob, .decapsulate, call)
        case .refused(let refusal): throw try failure(of: blob, refusal, .decapsulate, call)
        }
    }

    private func agree(_ blob: [UInt8], _ peer: [UInt8], _ call: GuardedCall) throws(Setback) -> KeyReply {
        switch try enclave.answer(to: AgreeOnKey(with: peer, by: blob, context: call.context.opened)) {
        case .agreed(let secret): return .agreed(secret)
        case .badInput: throw .call(.badPeer)
        case .otherKind(let kind): throw .call(.otherKeyKind(kind, does: "agree with a peer"))
        case .lacks(let proof): throw need(proof, of: blob, .agreeOnKey, call)
        case .refused(let refusal): throw try failure(of: blob, refusal, .agreeOnKey, call)
        }
    }

    private func described(_ blob: [UInt8]) throws(Setback) -> KeyReply {
        switch try description(of: blob) {
        case .present(let publicKey, let accessControl):
            return .described(publicKey: publicKey, accessControl: accessControl)
        case .gone(let refusal): throw .call(.enclaveKeyGone(refusal))
        }
    }

    private func need(
        _ proof: MissingProof, of blob: [UInt8], _ operation: GuardedOperation, _ call: GuardedCall
    ) -> Setback {
        .need(call.need(proof, to: operation, on: finder.name(ofKey: blob, call.caller)))
    }

    /// Returns the reason why a key was not used: it requires authentication, the device is locked, or the key no
    /// longer exists.
    private func failure(
        of blob: [UInt8], _ refusal: KeyRefusal, _ operation: GuardedOperation, _ call: GuardedCall
    ) throws(Setback) -> Setback {
        let need = try call.need(refusal, to: operation, on: finder.name(ofKey: blob, call.caller)) {
            () throws(Setback) in
            try accessControl(of: blob)
        }
        if let need { return .need(need) }
        guard refusal == .locked else { return .call(.enclaveKeyGone(refusal)) }
        let protection = (try? accessControl(of: blob))?.protection
        return .call(.locked(protection.flatMap { KeyClass($0) } ?? .whenUnlocked))
    }

    private func accessControl(of blob: [UInt8]) throws(Setback) -> AccessControl {
        switch try description(of: blob) {
        case .present(_, let accessControl): return accessControl
        case .gone(let refusal): throw .call(.enclaveKeyGone(refusal))
        }
    }

    private func description(of blob: [UInt8]) throws(Setback) -> KeyDescription {
        let descriptions = try enclaveKeys.descriptions(of: [blob])
        return descriptions[0]
    }

    private func reply(to failure: CallFailure, _ request: KeyRequest, _ caller: Caller) -> KeyReply {
        if let refusal = failure.refusal {
            let outcome = CallOutcome(
                operation: request.name, itemClass: ItemClass.key.rawValue, code: failure.code, refusal: refusal)
            records.explain(outcome, withLockState: true, to: caller)
        }
        return .failed(failure.code, failure.refusal)
    }
}

extension KeyRequest {
    /// The name of the operation in journal and audit log.
    var name: String {
        switch self {
        case .create: "key-create"
        case .sign: "sign"
        case .agree: "agree"
        case .describe: "key-describe"
        case .signMessage: "sign-message"
        case .decapsulate: "decapsulate"
        }
    }

    /// The settings for prompts; nil if the call does not use its session's context.
    var interaction: Interaction? {
        switch self {
        case .create(_, _, let interaction), .sign(_, _, let interaction), .agree(_, _, let interaction),
            .signMessage(_, _, _, let interaction), .decapsulate(_, _, let interaction):
            interaction
        case .describe: nil
        }
    }
}
