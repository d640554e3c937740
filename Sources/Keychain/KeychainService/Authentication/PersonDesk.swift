import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The desk for the questions of an `LAContext`. It has a question answered, and records the outcome of an evaluation.
struct PersonDesk: Sendable {
    let enclave: any EnclaveMailbox
    let broker: AuthenticationBroker
    let failures: CallFailures

    func ask<Question: AuthenticationQuestion>(
        _ question: Question, caller: Caller, session: ServiceSession
    ) throws(AuthenticationRefusal) -> Question.Answer {
        let call = PersonCall(enclave: enclave, broker: broker, caller: caller, session: session)
        do throws(Setback) {
            let answer = try admitted(question, call)
            failures.records.put(nil, of: question, by: caller)
            return answer
        } catch {
            let failure = failure(error)
            failures.records.put(failure, of: question, by: caller)
            throw AuthenticationRefusal(failure.error, failure.refusal)
        }
    }

    private func admitted<Question: AuthenticationQuestion>(
        _ question: Question, _ call: PersonCall
    ) throws(Setback) -> Question.Answer {
        guard !call.session.isOver else { throw .authentication(.contextEnded) }
        if let refusal = call.caller.refusal { throw .authentication(.refusedProgram(refusal)) }
        return try question.answer(by: call)
    }

    private func failure(_ setback: Setback) -> AuthenticationFailure {
        let call = failures.failure(setback)
        if case .authentication(let failure) = setback { return failure }
        let refusal = call.refusal ?? Refusal(as: .evaluationInterrupted, "\(setback)")
        return AuthenticationFailure(.systemCancel, refusal)
    }
}
