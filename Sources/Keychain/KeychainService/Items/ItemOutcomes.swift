import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The outcomes of item calls: the replies to failed ones, and the records of all of them.
struct ItemOutcomes: Sendable {
    let failures: CallFailures
    let otherHomes: OtherHomes

    private var records: CallRecords { failures.records }

    func put(_ reply: ItemReply, to request: ItemRequest, by caller: Caller) {
        records.put(reply, to: request, by: caller)
    }

    /// Returns the reply to a call that a setback ended. Explains it to the owner.
    func reply(to setback: Setback, _ request: ItemRequest, _ caller: Caller) -> ItemReply {
        let failure = failures.failure(setback)
        if failure.code == .itemNotFound, failure.refusal == nil, request.owner == nil, request.operation != .add,
            let refusal = otherHomes.refusalOfMissing(caller)
        {
            if otherHomes.isDue(for: caller) {
                records.explain(request.outcome(failure.code, refusal), withLockState: true, to: caller)
            }
            return ItemReply(code: failure.code, refusal: refusal, affectedRows: failure.leftOut)
        }
        if let refusal = failure.refusal {
            records.explain(request.outcome(failure.code, refusal), withLockState: true, to: caller)
        }
        return ItemReply(code: failure.code, refusal: failure.refusal, affectedRows: failure.leftOut)
    }
}
