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

/// The answer to the use of a key of the enclave.
package enum KeyUseAnswer<Value: Sendable>: Sendable {
    case done(Value)
    case refused(KeyRefusal)
    /// The key is of this kind, which does not do what was asked. The user was not prompted.
    case otherKind(EnclaveKeyKind)
}
