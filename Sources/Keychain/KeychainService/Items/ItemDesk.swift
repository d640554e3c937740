import LatchkeyKeychainMessages

/// The desk for the four `SecItem` calls. It determines the caller, has the call performed, and records its outcome.
struct ItemDesk: Sendable {
    let callers: ItemCallers
    let vault: ItemVault
    let finder: ItemFinder
    let authentication: AuthenticationBroker
    let outcomes: ItemOutcomes

    /// Performs a call. Blocks while the user is prompted.
    func perform(_ request: ItemRequest, caller: Caller, session: ServiceSession?) -> ItemReply {
        let caller = callers.withOwnersGroups(caller)
        let reply = answer(request, caller, session)
        outcomes.put(reply, to: request, by: caller)
        return reply
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

    private func answer(_ request: ItemRequest, _ caller: Caller, _ session: ServiceSession?) -> ItemReply {
        do throws(Setback) {
            let acting = try callers.acting(caller, in: request)
            let call = try GuardedCall(request.interaction, acting, session, authentication.enclave)
            return try authentication.inRounds(call) { () throws(Setback) in try answer(request, call) }
        } catch {
            return outcomes.reply(to: error, request, caller)
        }
    }

    private func answer(_ request: ItemRequest, _ call: GuardedCall) throws(Setback) -> ItemReply {
        switch request.operation {
        case .add: try vault.add(request, call)
        case .find: try finder.find(request, call)
        case .update: try vault.update(request, call)
        case .delete: try vault.delete(request, call)
        }
    }
}
