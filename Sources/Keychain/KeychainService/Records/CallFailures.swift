import LatchkeyEnclaveContract
import LatchkeyKeychainMessages

/// The failures of calls: turns the setback that ended a call into the failure that its program is told, and acts on
/// what the setback reveals about the device.
struct CallFailures: Sendable {
    let records: CallRecords
    let store: ItemStore
    let erasure: EraseWatch
    /// True if one command can unlock the device for another one.
    let isBehindDaemon: Bool

    /// Returns the failure that the program is told if a setback ends its call.
    func failure(_ setback: Setback) -> CallFailure {
        if case .authentication(let failure) = setback, failure.hasErasedDevice { erasure.notice(.erased) }
        store.noticeDamage(setback)
        let failure = CallFailure(setback)
        return isBehindDaemon ? failure : failure.withoutDaemon
    }

    /// Runs the body of an answer to a question. Records a failure in the journal and throws it as a refusal.
    func journalling<Question: DeviceQuestion, Answer>(
        _ question: Question, by caller: Caller, _ body: () throws(Setback) -> Answer
    ) throws(DeviceRefusal) -> Answer {
        do throws(Setback) {
            return try body()
        } catch {
            let failure = failure(error)
            if let refusal = failure.refusal {
                records.explain(question.outcome(failure.code, refusal), withLockState: false, to: caller)
            }
            throw failure.declined
        }
    }
}
