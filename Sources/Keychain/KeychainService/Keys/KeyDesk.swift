import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The desk for questions about enclave keys. It has each answered, after prompts if the key requires them, and records
/// the outcome.
struct KeyDesk: Sendable {
    let enclaveKeys: EnclaveKeyVault
    let finder: ItemFinder
    let authentication: AuthenticationBroker
    let failures: CallFailures

    /// Blocks while the user is prompted. A question that requires no authentication is one message to the enclave.
    func ask<Question: KeyQuestion>(
        _ question: Question, caller: Caller, session: ServiceSession?
    ) throws(EnclaveKeyRefusal) -> Question.Answer {
        do throws(Setback) {
            let answer = try answer(question, caller, session)
            failures.records.put(nil, of: question, by: caller)
            return answer
        } catch {
            let failure = failures.failure(error)
            let refusal = EnclaveKeyRefusal(failure.code, failure.refusal)
            failures.records.put(refusal, of: question, by: caller)
            throw refusal
        }
    }

    private func answer<Question: KeyQuestion>(
        _ question: Question, _ caller: Caller, _ session: ServiceSession?
    ) throws(Setback) -> Question.Answer {
        try AccessGroupChoice.checkCaller(caller)
        if let refusal = question.lengthRefusal { throw .call(CallFailure(refusal)) }
        let guarded = try GuardedCall(question.interaction, caller, session, authentication.enclave)
        let call = KeyCall(
            enclave: authentication.enclave, enclaveKeys: enclaveKeys, finder: finder, guarded: guarded)
        return try authentication.inRounds(guarded) { () throws(Setback) in try question.answer(by: call) }
    }
}
