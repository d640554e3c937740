import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// The programs that are the owner's tool: that of the installation, and those that the owner adopted. The owner's
/// items belong to the tool, whatever the path of its file is.
struct OwnersTools: Sendable {
    let enclave: any EnclaveMailbox
    let toolFile: ToolFile
    let owners: OwnersRegistry
    let homes: OwnersHomes
    let mover: ItemMover

    func description(for caller: Caller) throws(Setback) -> OwnersTool {
        // A program that gets no groups must not learn which other programs exist.
        guard caller.refusal == nil else {
            return OwnersTool(isCaller: false, path: toolFile.presentPath, formerHomes: [])
        }
        if caller.isOwnersTool { mover.settleItems(of: caller) }
        return OwnersTool(
            isCaller: caller.isOwnersTool, path: toolFile.presentPath, formerHomes: try homes.former(besides: []))
    }

    /// Makes the caller a tool of the owner, and the items in former homes the owner's.
    func adopt(_ caller: Caller, _ passcode: SecretBox?) throws(Setback) -> Adoption {
        try owners.add(tools: toolsToAdd(for: caller, passcode))
        var tool = caller
        tool.isOwnersTool = true
        tool = owners.withOwnersGroups(tool)
        // All present items are adopted, including those that were added to a home after an earlier adoption.
        tool.adoptedItems = [:]
        let items = homes.presentItems()
        let known = tool.accessGroups.filter(OwnersGroup.isFormerHome)
        let places = known + (try homes.former(besides: known, limit: .max).map(\.accessGroup))
        let adoption = places.reduce(Adoption()) { $0 + mover.moveItems(from: $1, for: tool) }
        let left = try owners.keep(homes: places, items)
        homes.forgetRecent()
        guard left == 0 else { throw .call(.tooManyHomes(left)) }
        return adoption
    }

    /// Takes back every adoption.
    /// - Returns: the number of tools that were removed.
    func revokeAll() throws(Setback) -> Int {
        let count = try owners.removeAll()
        homes.forgetRecent()
        return count
    }

    /// Returns the private group of the program that requests an adoption if it may become a tool; nothing if it is one
    /// already.
    private func toolsToAdd(for caller: Caller, _ passcode: SecretBox?) throws(Setback) -> [String] {
        if caller.isOwnersTool { return [] }
        // In a container, other programs can use a program's name.
        guard caller.application == nil, caller.accessGroups.count == 1,
            let group = PrivateGroup(caller.accessGroups[0]), group.program == OwnersGroup.toolName, !group.isElsewhere
        else { throw .call(.cannotBeTool(caller.name, advice: toolFile.advice)) }
        // Without a passcode every program could claim to be the tool.
        guard passcode != nil, let status = try? enclave.ask(AskStatus()), status.hasPasscode else {
            throw .call(.toolNeedsPasscode(advice: toolFile.advice))
        }
        return caller.accessGroups
    }
}

extension CallFailure {
    fileprivate static func cannotBeTool(_ name: String, advice: String) -> CallFailure {
        CallFailure(.authFailed, as: .cannotBeTool, name, advice)
    }

    fileprivate static func toolNeedsPasscode(advice: String) -> CallFailure {
        CallFailure(.authFailed, as: .toolNeedsPasscode, advice)
    }
}
