import LatchkeyKeychainMessages

/// The callers of item calls, with the groups that they may use.
struct ItemCallers: Sendable {
    let owners: OwnersRegistry
    let mover: ItemMover
    let access: OwnersAccess

    /// Returns the caller with the groups of the owner's tool, if it is the tool.
    func withOwnersGroups(_ caller: Caller) -> Caller {
        owners.withOwnersGroups(caller)
    }

    /// Returns the caller as which a call is performed: the program itself, or the owner, who may act in another
    /// program's group.
    func acting(_ caller: Caller, in request: ItemRequest) throws(Setback) -> Caller {
        if caller.isOwnersTool { mover.settleItems(of: caller) }
        var caller = caller
        if let owner = request.owner { caller = try access.caller(owner, request, caller) }
        try AccessGroupChoice.checkCaller(caller)
        return caller
    }
}
