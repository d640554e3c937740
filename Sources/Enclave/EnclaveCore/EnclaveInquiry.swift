package import LatchkeyAccessControl
package import LatchkeySecretMemory

/// A question to the enclave, with the only answers that it has.
///
/// A refusal of the device is thrown. All questions stand in the files `Inquiries+….swift`; what may be
/// repeated and what waits for a person says ``EnclaveRequest/traits``.
package struct EnclaveInquiry<Answer: Sendable>: Sendable {
    package let request: EnclaveRequest
    /// Nil for a reply to another question.
    private let read: @Sendable (EnclaveReply) -> Answer?

    init(_ request: EnclaveRequest, _ read: @escaping @Sendable (EnclaveReply) -> Answer?) {
        self.request = request
        self.read = read
    }

    fileprivate func answer(in reply: EnclaveReply) throws(EnclaveRefusal) -> Answer {
        if case .refused(let refusal) = reply { throw refusal }
        guard let answer = read(reply) else {
            throw .malformed(reason: "the enclave answered another question than the one that was asked")
        }
        return answer
    }
}

extension EnclaveMailbox {
    /// Asks the enclave and waits for its answer, as long as that takes.
    package func ask<Answer>(_ question: EnclaveInquiry<Answer>) throws(EnclaveRefusal) -> Answer {
        try question.answer(in: perform(question.request))
    }
}

/// The answer to a request for a new key of the enclave.
package enum NewKeyAnswer: Sendable, Hashable {
    /// The length of the public key tells its kind (``EnclaveKeyKind/init(publicKeyByteCount:)``).
    case created(blob: [UInt8], publicKey: [UInt8])
    /// `.locked`, `.classKeyMissing` or `.authenticationNeeded` (no application password).
    case refused(KeyRefusal)
    /// Its access control is about biometry and cannot be bound now.
    case notBound(VerdictRule?)
}

/// The answer to the use of a key of the enclave.
package enum KeyUseAnswer<Value: Sendable>: Sendable {
    case done(Value)
    case refused(KeyRefusal)
    /// The key is of this kind, which does not do what was asked. The user was not prompted.
    case otherKind(EnclaveKeyKind)
}

/// The answer to an agreement, or to a ciphertext: what the other side sent may be of no use.
package enum KeyExchangeAnswer: Sendable {
    case agreed(SecretBox)
    case refused(KeyRefusal)
    /// As in ``KeyUseAnswer/otherKind(_:)``.
    case otherKind(EnclaveKeyKind)
    /// The peer's bytes are not a point of the curve, or ciphertexts for a key of this kind have another length. The
    /// user was not prompted.
    case badInput(EnclaveKeyKind)
}
