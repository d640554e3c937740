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
        /// What every further request about keys fails with.
        var failure: (ResultCode, Refusal?)?
        /// What every further request about keys is answered with.
        var nonsense: KeyReply?
        var itemReply = ItemReply(code: .success)
        var requests: [KeyRequest] = []
        var itemRequests: [ItemRequest] = []
    }

    let state = Mutex(State())

    var requests: [KeyRequest] { state.withLock { $0.requests } }
    var itemRequests: [ItemRequest] { state.withLock { $0.itemRequests } }
    var interactions: [Interaction?] { requests.map(\.interaction) }

    func fail(_ code: ResultCode, _ refusal: Refusal? = nil) { state.withLock { $0.failure = (code, refusal) } }

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

    func openSession() -> any AuthenticationSession { EndedSession() }

    func perform(_ request: KeyRequest) -> KeyReply {
        state.withLock { state in
            state.requests.append(request)
            if let nonsense = state.nonsense { return nonsense }
            if let (code, refusal) = state.failure { return .failed(code, refusal) }
            do {
                return try Self.answer(request, &state)
            } catch {
                return .failed(.param, nil)
            }
        }
    }

    private static func answer(_ request: KeyRequest, _ state: inout State) throws -> KeyReply {
        switch request {
        case .create(_, let accessControl, _):
            let key = try PrivateKey(generating: .ellipticCurve(.p256))
            let blob = Array("blob \(state.keys.count)".utf8)
            state.keys[blob] = (key, accessControl)
            return .created(blob: blob, publicKey: key.publicKey.externalRepresentation)
        case .sign(let blob, let digest, _):
            guard let known = state.keys[blob] else { return .failed(.itemNotFound, nil) }
            let algorithm = SignatureAlgorithm(.ecdsaX962, nil, takesMessage: false)
            return .signature(try known.key.sign(digest, algorithm))
        case .agree(let blob, let peer, _):
            guard let known = state.keys[blob] else { return .failed(.itemNotFound, nil) }
            return .agreed(
                try known.key.agree(with: PublicKey(externalRepresentation: peer, type: .ellipticCurve)))
        case .describe(let blob):
            guard let known = state.keys[blob] else { return .failed(.itemNotFound, nil) }
            return .described(
                publicKey: known.key.publicKey.externalRepresentation, accessControl: known.accessControl)
        // Nothing of this module asks for it.
        case .signMessage, .decapsulate: return .failed(.param, nil)
        }
    }

    /// Runs `body` with this keychain as the current one.
    func whileCurrent<R>(_ body: () throws -> R) rethrows -> R {
        try CurrentKeychain.$scoped.withValue(self) { try body() }
    }
}

extension KeyRequest {
    var interaction: Interaction? {
        switch self {
        case .create(_, _, let interaction), .sign(_, _, let interaction), .agree(_, _, let interaction),
            .signMessage(_, _, _, let interaction), .decapsulate(_, _, let interaction):
            interaction
        case .describe: nil
        }
    }

    /// The digest that should be signed.
    var digest: [UInt8]? {
        if case .sign(_, let digest, _) = self { digest } else { nil }
    }
}
