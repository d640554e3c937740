import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Synchronization

/// Requests about the owner's tool, to which the owner's items belong whatever the path of its file is.
extension KeychainService {
    /// A request about the owner's tool.
    func performOwners(_ request: DeviceRequest, _ caller: Caller) -> DeviceReply {
        do {
            switch request {
            case .ownersTool:
                // Which programs there are is nothing for one that gets no groups itself.
                guard caller.refusal == nil else {
                    return .ownersTool(OwnersTool(isCaller: false, path: toolFile.presentPath, formerHomes: []))
                }
                if caller.isOwnersTool { mover.settleItems(of: caller) }
                return .ownersTool(
                    OwnersTool(
                        isCaller: caller.isOwnersTool, path: toolFile.presentPath,
                        formerHomes: try homes.former(besides: []))
                )
            case .adopt(let passcode):
                return try change(request, caller) {
                    try owners.add(tools: toolsToAdd(for: caller, passcode))
                    var tool = caller
                    tool.isOwnersTool = true
                    tool = owners.withOwnersGroups(tool)
                    // All that is there now is meant, also what came to a home after an earlier adoption.
                    tool.adoptedItems = [:]
                    let now = store.nowMicroseconds()
                    let items = AdoptedItems(lastRow: store.newRowNumber(at: now), lastChange: now)
                    let known = tool.accessGroups.filter(OwnersGroup.isFormerHome)
                    let places = known + (try homes.former(besides: known, limit: .max).map(\.accessGroup))
                    let adoption = places.reduce(Adoption()) { $0 + mover.moveItems(from: $1, for: tool) }
                    let left = try owners.keep(homes: places, items)
                    homes.forgetRecent()
                    guard left == 0 else { throw Setback.call(.tooManyHomes(left)) }
                    return .adopted(adoption)
                }
            case .revokeTools:
                return try change(request, caller) {
                    let count = try owners.removeAll()
                    homes.forgetRecent()
                    return .forgotten(removedItems: count)
                }
            default: return .refused(.malformed(reason: "a request that is not about the owner's tool"))
            }
        } catch {
            let failure = failure(error)
            if let refusal = failure.refusal { record(failure.code, refusal, request, caller) }
            return failure.declined
        }
    }

    /// The private group of the program that asks for an adoption, if it may become a tool by it; none if it is one.
    private func toolsToAdd(for caller: Caller, _ passcode: SecretBox?) throws(Setback) -> [String] {
        if caller.isOwnersTool { return [] }
        // In a container others can speak in a program's name.
        guard caller.application == nil, caller.accessGroups.count == 1,
            let group = PrivateGroup(caller.accessGroups[0]), group.program == OwnersGroup.toolName, !group.isElsewhere
        else { throw .call(.cannotBeTool(caller.name, advice: toolFile.advice)) }
        // Without a passcode every program could say that it is the tool.
        guard passcode != nil, let status = try? enclave.ask(AskStatus()), status.hasPasscode else {
            throw .call(.toolNeedsPasscode(advice: toolFile.advice))
        }
        return caller.accessGroups
    }
}

extension CallFailure {
    fileprivate static func cannotBeTool(_ name: String, advice: String) -> CallFailure {
        CallFailure(
            .authFailed, .notTheOwnersTool,
            "Only a program called latchkey that is not signed for an app can become the owner's tool, not \(name).",
            advice: advice)
    }

    fileprivate static func toolNeedsPasscode(advice: String) -> CallFailure {
        CallFailure(
            .authFailed, .ownerNeedsPasscode,
            "This is another latchkey than the one of the device's daemon. It becomes the owner's tool with the device "
                + "passcode, and none is set.",
            advice: advice + " Or set a passcode: latchkey passcode set.")
    }
}
