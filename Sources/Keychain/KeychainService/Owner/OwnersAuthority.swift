import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The owner's authority over the device. The passcode proves it; without a passcode, the kind of device decides which
/// programs have it.
struct OwnersAuthority: Sendable {
    let enclave: any EnclaveMailbox
    let unprovenOwner: UnprovenOwner
    let erasure: EraseWatch
    let failures: CallFailures

    /// Returns the reason why the caller may not perform an act now that only the owner may perform; nil if it may, or
    /// if the passcode decides.
    func unprovenRefusal(of question: some DeviceQuestion, _ caller: Caller) -> Refusal? {
        guard case .root(let tool) = unprovenOwner, !caller.isRoot else { return nil }
        // If the enclave does not answer, the enclave's own refusal ends the request.
        guard let status = try? enclave.ask(AskStatus()), !status.hasPasscode else { return nil }
        let refusal = Refusal(.ownerNeedsRoot, tool)
        explain(.authFailed, refusal, of: question, to: caller)
        return refusal
    }

    /// Makes a change if the owner is authorised, and records it in the journal.
    func change<Question: OwnersChange, Answer>(
        _ question: Question, by caller: Caller, _ body: () throws(Setback) -> Answer
    ) throws(DeviceRefusal) -> Answer {
        if let refusal = refusal(of: question, caller) {
            let words = Refusal(.ownerPasscodeRefused, PasscodeWords.reason(refusal), PasscodeWords.advice(refusal))
            explain(.authFailed, words, of: question, to: caller)
            erasure.notice(refusal)
            throw .refused(refusal)
        }
        let answer = try failures.journalling(question, by: caller, body)
        let change = Refusal(.ownerChange)
        explain(.success, change, of: question, to: caller)
        return answer
    }

    /// Returns the reason to refuse a change; nil if the passcode is right, or if no passcode is set and the caller
    /// needs none.
    private func refusal<Question: OwnersChange>(of question: Question, _ caller: Caller) -> EnclaveRefusal? {
        let isProven = unprovenOwner.includes(caller)
        guard let passcode = question.passcode else {
            do throws(EnclaveRefusal) {
                guard try !enclave.ask(AskStatus()).hasPasscode else { return .passcodeNeeded }
                // A passcode that was set when this question was authorised may have been removed since.
                return isProven || !Question.traits.contains(.ownersAlone) ? nil : .noPasscodeSet
            } catch {
                return error
            }
        }
        do throws(EnclaveRefusal) {
            try enclave.ask(VerifyPasscode(passcode))
            return nil
        } catch .noPasscodeSet {
            return isProven ? nil : .noPasscodeSet
        } catch {
            return error
        }
    }

    private func explain(_ code: ResultCode, _ refusal: Refusal, of question: some DeviceQuestion, to caller: Caller) {
        failures.records.explain(question.outcome(code, refusal), withLockState: false, to: caller)
    }
}
