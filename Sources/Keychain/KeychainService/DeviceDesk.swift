import LatchkeyEnclaveContract
import LatchkeyItemModel
package import LatchkeyKeychainMessages
import Synchronization

/// The desk that answers one program's questions about the device.
struct DeviceDesk: DeviceAnswers {
    let service: KeychainService
    let caller: Caller
    /// The session of the question's connection. Work stops if the program has gone away.
    let session: ServiceSession?
}

extension KeychainService {
    /// Answers a question. Records the outcome in the audit log if the question is audited.
    ///
    /// - Parameter session: the session of the question's connection.
    @discardableResult
    package func ask<Question: DeviceQuestion>(
        _ question: Question, caller: Caller, session: ServiceSession? = nil
    ) throws(DeviceRefusal) -> Question.Answer {
        let desk = DeviceDesk(service: self, caller: owners.withOwnersGroups(caller), session: session)
        do throws(DeviceRefusal) {
            let answer =
                Question.traits.contains(.dependsOnPasscode)
                ? try ownersTurn.withLock { _ throws(DeviceRefusal) in try desk.authorised(question) }
                : try desk.authorised(question)
            records.put(nil, of: question, by: desk.caller)
            return answer
        } catch {
            records.put(error, of: question, by: desk.caller)
            throw error
        }
    }
}

extension DeviceDesk {
    fileprivate func authorised<Question: DeviceQuestion>(
        _ question: Question
    ) throws(DeviceRefusal) -> Question.Answer {
        if Question.traits.contains(.ownersAlone),
            let refusal = service.unprovenOwnerRefusal(of: question, caller)
        {
            throw .declined(.authFailed, refusal)
        }
        return try question.answer(by: self)
    }

    func journalling<Question: DeviceQuestion, Answer>(
        _ question: Question, _ body: () throws(Setback) -> Answer
    ) throws(DeviceRefusal) -> Answer {
        try service.failures.journalling(question, by: caller, body)
    }

    /// Makes a change if the owner is authorised, and records it in the journal.
    func change<Question: OwnersChange, Answer>(
        _ question: Question, _ body: () throws(Setback) -> Answer
    ) throws(DeviceRefusal) -> Answer {
        if let refusal = ownersRefusal(question) {
            let words = Refusal(
                rule: .ownerPasscodeRefused, reason: PasscodeWords.reason(refusal),
                advice: PasscodeWords.advice(refusal))
            journal(.authFailed, words, question)
            service.erasure.notice(refusal)
            throw .refused(refusal)
        }
        let answer = try journalling(question, body)
        journal(
            .success,
            Refusal(
                rule: .ownerChange, reason: "The owner changed which teams or apps this device knows, or an option.",
                advice: "Nothing to do; if this was not you, look at latchkey team list and change the passcode."),
            question)
        return answer
    }

    /// Returns the reason to refuse a change; nil if the passcode is right, or if no passcode is set and the caller
    /// needs none.
    private func ownersRefusal<Question: OwnersChange>(_ question: Question) -> EnclaveRefusal? {
        let isProven = service.unprovenOwner.includes(caller)
        guard let passcode = question.passcode else {
            do throws(EnclaveRefusal) {
                guard try !service.enclave.ask(AskStatus()).hasPasscode else { return .passcodeNeeded }
                // A passcode that was set when this question was authorised may have been removed since.
                return isProven || !Question.traits.contains(.ownersAlone) ? nil : .noPasscodeSet
            } catch {
                return error
            }
        }
        do throws(EnclaveRefusal) {
            try service.enclave.ask(VerifyPasscode(passcode))
            return nil
        } catch .noPasscodeSet {
            return isProven ? nil : .noPasscodeSet
        } catch {
            return error
        }
    }

    private func journal<Question: DeviceQuestion>(_ code: ResultCode, _ refusal: Refusal, _ question: Question) {
        service.records.explain(question.outcome(code, refusal), withLockState: false, to: caller)
    }
}
