import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The desk for the four `SecItem` calls. It determines the caller, has the call performed, and records its outcome.
struct ItemDesk: Sendable {
    let callers: ItemCallers
    let vault: ItemVault
    let finder: ItemFinder
    let authentication: AuthenticationBroker
    let outcomes: ItemOutcomes

    /// Performs a call. Blocks while the user is prompted.
    ///
    /// - Parameter deliver: takes the parts of a find's answer before the last one. Nil if the answer must be one.
    /// - Returns: the answer, or its last part.
    func perform(
        _ request: ItemRequest, caller: Caller, session: ServiceSession?, deliver: PartDelivery? = nil
    ) -> ItemReplyPart {
        let caller = callers.withOwnersGroups(caller)
        guard let deliver else {
            let whole = answer(request, caller, session, nil)
            outcomes.put(whole.reply, to: request, by: caller)
            return whole
        }
        // The record has what a program received, also if it takes no more, or if the daemon ends.
        var isRecorded = false
        let last = answer(request, caller, session) { part in
            if !isRecorded { outcomes.put(part.reply, to: request, by: caller) }
            isRecorded = true
            return deliver(part)
        }
        if !isRecorded || last.reply.code != .success { outcomes.put(last.reply, to: request, by: caller) }
        return last
    }

    /// Deletes every item of the groups without tombstones. Enclave keys end with their items.
    /// - Returns: the number of rows.
    func deleteItems(inAccessGroups groups: [String]) throws(CallFailure) -> Int {
        do throws(Setback) {
            return try vault.deleteAll(inAccessGroups: groups)
        } catch {
            throw outcomes.failures.failure(error)
        }
    }

    private func answer(
        _ request: ItemRequest, _ caller: Caller, _ session: ServiceSession?, _ deliver: PartDelivery?
    ) -> ItemReplyPart {
        do throws(Setback) {
            let acting = try callers.acting(caller, in: request)
            let call = try GuardedCall(request.interaction, acting, session, authentication.enclave)
            return try authentication.inRounds(call) { () throws(Setback) in try answer(request, call, deliver) }
        } catch {
            return ItemReplyPart(outcomes.reply(to: error, request, caller))
        }
    }

    private func answer(
        _ request: ItemRequest, _ call: GuardedCall, _ deliver: PartDelivery?
    ) throws(Setback) -> ItemReplyPart {
        switch request.operation {
        case .add: ItemReplyPart(try vault.add(request, call))
        case .find: try finder.find(request, call, deliver: deliver)
        case .update: ItemReplyPart(try vault.update(request, call))
        case .delete: ItemReplyPart(try vault.delete(request, call))
        }
    }
}
