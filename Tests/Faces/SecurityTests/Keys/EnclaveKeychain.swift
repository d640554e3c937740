import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Synchronization

/// A keychain with an enclave that does what a test says; its keys are real.
final class EnclaveKeychain: Keychain {
    struct State {
        var keys: [[UInt8]: (key: PrivateKey, accessControl: AccessControl)] = [:]
        /// The failure of every further question about keys.
        var failure: EnclaveKeyRefusal?
        /// The answer to further questions about keys.
        var nonsense = Nonsense()
        var itemReply = ItemReply(code: .success)
        var requests: [any KeyQuestion] = []
        var itemRequests: [ItemRequest] = []
    }

    /// Answers that no enclave gives.
    struct Nonsense {
        var created: CreatedEnclaveKey?
        var description: EnclaveKeyDescription?
        var signature: EnclaveKeySignature?
    }

    let state = Mutex(State())

    var requests: [any KeyQuestion] { state.withLock { $0.requests } }
    var itemRequests: [ItemRequest] { state.withLock { $0.itemRequests } }
    var interactions: [Interaction?] { requests.map { $0.interaction } }

    func fail(_ code: ResultCode, _ refusal: Refusal? = nil) {
        state.withLock { $0.failure = EnclaveKeyRefusal(code, refusal) }
    }

    func answerItems(_ reply: ItemReply) { state.withLock { $0.itemReply = reply } }

    func perform(_ request: ItemRequest) -> ItemReply {
        state.withLock {
            $0.itemRequests.append(request)
            return $0.itemReply
        }
    }

    func ask<Question: DeviceQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
        throw .unreachable(.withoutRule(reason: "There is no device."))
    }

    func ask<Question: FileKeyQuestion>(_ question: Question) throws(FileKeyRefusal) -> Question.Answer {
        throw FileKeyRefusal(.unimplemented)
    }

    func openSession() -> any AuthenticationSession { EndedSession() }

    func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
        state.withLock { $0.requests.append(question) }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return try question.answer(by: ScriptedEnclave(keychain: self))
    }

    /// Runs `body` with this keychain as the current one.
    func whileCurrent<R>(_ body: () throws -> R) rethrows -> R {
        try CurrentKeychain.$scoped.withValue(self) { try body() }
    }
}

/// Answers as an enclave does, or with the nonsense of its keychain.
private struct ScriptedEnclave: KeyAnswers {
    let keychain: EnclaveKeychain

    private var nonsense: EnclaveKeychain.Nonsense { keychain.state.withLock { $0.nonsense } }

    func answer(_ question: CreateEnclaveKey) throws(EnclaveKeyRefusal) -> CreatedEnclaveKey {
        if let created = nonsense.created { return created }
        let key = try made { try PrivateKey(generating: .ellipticCurve(.p256)) }
        let blob = keychain.state.withLock { state in
            let blob = Array("blob \(state.keys.count)".utf8)
            state.keys[blob] = (key, question.accessControl)
            return blob
        }
        return CreatedEnclaveKey(blob: blob, publicKey: key.publicKey.externalRepresentation)
    }

    func answer(_ question: DescribeEnclaveKey) throws(EnclaveKeyRefusal) -> EnclaveKeyDescription {
        if let description = nonsense.description { return description }
        let known = try known(question.blob)
        return EnclaveKeyDescription(
            publicKey: known.key.publicKey.externalRepresentation, accessControl: known.accessControl)
    }

    func answer(_ question: SignWithKey) throws(EnclaveKeyRefusal) -> EnclaveKeySignature {
        if let signature = nonsense.signature { return signature }
        let key = try known(question.blob).key
        let algorithm = SignatureAlgorithm(.ecdsaX962, nil, takesMessage: false)
        return EnclaveKeySignature(try made { try key.sign(question.digest, algorithm) })
    }

    func answer(_ question: AgreeWithKey) throws(EnclaveKeyRefusal) -> EnclaveKeySecret {
        let key = try known(question.blob).key
        return EnclaveKeySecret(
            try made {
                try key.agree(with: PublicKey(externalRepresentation: question.peer, type: .ellipticCurve))
            })
    }

    // Nothing of this module asks for the others.

    func answer(_ question: SignMessageWithKey) throws(EnclaveKeyRefusal) -> EnclaveKeySignature {
        throw EnclaveKeyRefusal(.param)
    }

    func answer(_ question: DecapsulateWithKey) throws(EnclaveKeyRefusal) -> EnclaveKeySecret {
        throw EnclaveKeyRefusal(.param)
    }

    private func known(
        _ blob: [UInt8]
    ) throws(EnclaveKeyRefusal) -> (key: PrivateKey, accessControl: AccessControl) {
        guard let known = keychain.state.withLock({ $0.keys[blob] }) else { throw EnclaveKeyRefusal(.itemNotFound) }
        return known
    }

    private func made<Value>(_ body: () throws -> Value) throws(EnclaveKeyRefusal) -> Value {
        do {
            return try body()
        } catch {
            throw EnclaveKeyRefusal(.param)
        }
    }
}

extension KeyQuestion {
    /// The digest that should be signed; nil for other questions.
    var signedDigest: [UInt8]? { (self as? SignWithKey)?.digest }
}
