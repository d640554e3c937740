import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory

extension DeviceDesk {
    func answer(_ question: DescribeOwnersTool) throws(DeviceRefusal) -> OwnersTool {
        // A program that gets no groups must not learn which other programs exist.
        guard caller.refusal == nil else {
            return OwnersTool(isCaller: false, path: service.toolFile.presentPath, formerHomes: [])
        }
        if caller.isOwnersTool { service.mover.settleItems(of: caller) }
        return try journalling(question) { () throws(Setback) in
            OwnersTool(
                isCaller: caller.isOwnersTool, path: service.toolFile.presentPath,
                formerHomes: try service.homes.former(besides: []))
        }
    }

    func answer(_ question: AdoptTool) throws(DeviceRefusal) -> Adoption {
        try change(question) { () throws(Setback) in try service.adopt(caller, question.passcode) }
    }

    func answer(_ question: RevokeTools) throws(DeviceRefusal) -> RemovedCount {
        try change(question) { () throws(Setback) in
            let count = try service.owners.removeAll()
            service.homes.forgetRecent()
            return RemovedCount(count)
        }
    }
}

extension KeychainService {
    fileprivate func adopt(_ caller: Caller, _ passcode: SecretBox?) throws(Setback) -> Adoption {
        try owners.add(tools: toolsToAdd(for: caller, passcode))
        var tool = caller
        tool.isOwnersTool = true
        tool = owners.withOwnersGroups(tool)
        // All present items are adopted, including those that were added to a home after an earlier adoption.
        tool.adoptedItems = [:]
        let now = store.nowMicroseconds()
        let items = AdoptedItems(lastRow: store.newRowNumber(at: now), lastChange: now)
        let known = tool.accessGroups.filter(OwnersGroup.isFormerHome)
        let places = known + (try homes.former(besides: known, limit: .max).map(\.accessGroup))
        let adoption = places.reduce(Adoption()) { $0 + mover.moveItems(from: $1, for: tool) }
        let left = try owners.keep(homes: places, items)
        homes.forgetRecent()
        guard left == 0 else { throw .call(.tooManyHomes(left)) }
        return adoption
    }
}
