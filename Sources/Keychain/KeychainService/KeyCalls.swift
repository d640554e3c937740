import LatchkeyItemModel
package import LatchkeyKeychainMessages

/// Key requests of the former kind, until every caller asks questions.
extension KeychainService {
    package func perform(_ request: KeyRequest, caller: Caller, session: ServiceSession? = nil) -> KeyReply {
        reply(to: request.question, caller, session)
    }

    private func reply<Question: KeyQuestion>(
        to question: Question, _ caller: Caller, _ session: ServiceSession?
    ) -> KeyReply {
        do throws(EnclaveKeyRefusal) {
            switch try ask(question, caller: caller, session: session) as any KeychainAnswer {
            case let key as CreatedEnclaveKey: return .created(blob: key.blob, publicKey: key.publicKey)
            case let key as EnclaveKeyDescription:
                return .described(publicKey: key.publicKey, accessControl: key.accessControl)
            case let signature as EnclaveKeySignature: return .signature(signature.bytes)
            case let secret as EnclaveKeySecret: return .agreed(secret.secret)
            default: return .failed(.internalError, nil)
            }
        } catch {
            return .failed(error.code, error.refusal)
        }
    }
}

extension KeyRequest {
    fileprivate var question: any KeyQuestion {
        switch self {
        case .create(let key, let accessControl, let interaction):
            CreateEnclaveKey(key, under: accessControl, interaction)
        case .sign(let blob, let digest, let interaction): SignWithKey(blob, digest: digest, interaction)
        case .agree(let blob, let peer, let interaction): AgreeWithKey(blob, peer: peer, interaction)
        case .describe(let blob): DescribeEnclaveKey(blob)
        case .signMessage(let blob, let message, let contextString, let interaction):
            SignMessageWithKey(blob, message: message, contextString: contextString, interaction)
        case .decapsulate(let blob, let ciphertext, let interaction):
            DecapsulateWithKey(blob, ciphertext: ciphertext, interaction)
        }
    }

    /// The failure of a request with a part whose length is not valid; nil for all other requests.
    package var lengthFailure: CallFailure? { question.lengthRefusal.map { CallFailure($0) } }
}
