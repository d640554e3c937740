import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The desk for questions about items that end, or ended.
struct EndingDesk: Sendable {
    let endings: ItemEndings
    let ended: EndedItems
    let failures: CallFailures

    func answer(
        _ question: PreviewEndings, _ caller: Caller, _ session: ServiceSession?
    ) throws(DeviceRefusal) -> EndingPreview {
        try declining(caller) { () throws(Setback) in
            try endings.preview(of: question.cause, isAbandoned: session?.isAbandoned ?? false)
        }
    }

    func answer(_ question: ListEndedItems, _ caller: Caller) throws(DeviceRefusal) -> [EndedItem] {
        try declining(caller) { () throws(Setback) in try ended.list(limit: question.limit) }
    }

    /// A program that gets no groups learns nothing of the items of others.
    private func declining<Answer>(
        _ caller: Caller, _ body: () throws(Setback) -> Answer
    ) throws(DeviceRefusal) -> Answer {
        if let refusal = caller.refusal, !caller.isRoot { throw .declined(.missingEntitlement, refusal) }
        do throws(Setback) {
            return try body()
        } catch {
            throw failures.failure(error).declined
        }
    }
}
