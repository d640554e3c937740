import LatchkeyCodeSignature
import LatchkeyEnclaveCore
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Synchronization

/// The owner's items, which belong to the owner's tool and not to the path of its file.
extension KeychainService {
    /// The caller with the groups of the owner's tool, if it is the tool: the daemon says so of a program of this
    /// installation, and `latchkey adopt` said so of another one.
    func withOwnersGroups(_ caller: Caller) -> Caller {
        // Also where the caller has no groups, because of what it is or of what the device demands.
        guard !caller.accessGroups.isEmpty, caller.refusal == nil, !caller.isDenied else { return caller }
        let lists = owners.lists()
        guard caller.isOwnersTool || isAdopted(caller, lists) else { return caller }
        var tool = caller
        tool.isOwnersTool = true
        for home in lists.homes where !caller.accessGroups.contains(home.accessGroup) {
            tool.adoptedItems[home.accessGroup] = home.items
        }
        let others = caller.accessGroups + lists.homes.map(\.accessGroup)
        tool.accessGroups = others.reduce(into: [OwnersGroup.name]) { groups, group in
            if !groups.contains(group) { groups.append(group) }
        }
        return tool
    }

    /// An unsigned program has one group, which no other program has.
    private func isAdopted(_ caller: Caller, _ lists: OwnersRegistry.Lists) -> Bool {
        guard !lists.tools.isEmpty, caller.application == nil, caller.accessGroups.count == 1 else { return false }
        return lists.tools.contains(caller.accessGroups[0])
    }

    /// What the owner's tool had under its own path before there was the owner's group moves there by itself, as far as
    /// that needs nobody: it is the same program's. So does what an adoption had to leave in a former home, but nothing
    /// that came there later. Tried once for each state of the keys.
    func settleOwnersItems(of tool: Caller) {
        for home in tool.accessGroups where OwnersGroup.isFormerHome(home) {
            guard settledHomes.withLock({ $0.insert(home).inserted }) else { continue }
            _ = moveItems(from: home, for: tool)
        }
    }

    /// A request about the owner's tool.
    func performOwners(_ request: DeviceRequest, _ caller: Caller) -> DeviceReply {
        do {
            switch request {
            case .ownersTool:
                // Which programs there are is nothing for one that gets no groups itself.
                guard caller.refusal == nil else {
                    return .ownersTool(OwnersTool(isCaller: false, path: presentToolPath, formerHomes: []))
                }
                if caller.isOwnersTool { settleOwnersItems(of: caller) }
                return .ownersTool(
                    OwnersTool(
                        isCaller: caller.isOwnersTool, path: presentToolPath, formerHomes: try formerHomes(besides: []))
                )
            case .adopt(let passcode):
                return try change(request, caller) {
                    try owners.add(tools: toolsToAdd(for: caller, passcode))
                    var tool = caller
                    tool.isOwnersTool = true
                    tool = withOwnersGroups(tool)
                    // All that is there now is meant, also what came to a home after an earlier adoption.
                    tool.adoptedItems = [:]
                    let now = store.nowMicroseconds()
                    let items = AdoptedItems(lastRow: store.newRowNumber(at: now), lastChange: now)
                    let known = tool.accessGroups.filter(OwnersGroup.isFormerHome)
                    let homes = known + (try formerHomes(besides: known, limit: .max).map(\.accessGroup))
                    let adoption = homes.reduce(Adoption()) { $0 + moveItems(from: $1, for: tool) }
                    let left = try owners.keep(homes: homes, items)
                    recentHomes.withLock { $0 = RecentHomes() }
                    guard left == 0 else { throw Setback.call(.tooManyHomes(left)) }
                    return .adopted(adoption)
                }
            case .revokeTools:
                return try change(request, caller) {
                    let count = try owners.removeAll()
                    recentHomes.withLock { $0 = RecentHomes() }
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

    /// Where the owner's tool lies; nil also where its file was removed since the daemon started.
    private var presentToolPath: String? {
        ownersToolPath.flatMap { isFileGone($0) ? nil : $0 }
    }

    private var toolAdvice: String {
        if let presentToolPath { return "Use \(presentToolPath)." }
        return ownersToolPath == nil ? "Use the latchkey of the installation." : OwnersGroup.restartAdvice
    }

    /// The private group of the program that asks for an adoption, if it may become a tool by it; none if it is one.
    private func toolsToAdd(for caller: Caller, _ passcode: SecretBox?) throws(Setback) -> [String] {
        if caller.isOwnersTool { return [] }
        // In a container others can speak in a program's name.
        guard caller.application == nil, caller.accessGroups.count == 1,
            let group = PrivateGroup(caller.accessGroups[0]), group.program == OwnersGroup.toolName, !group.isElsewhere
        else { throw .call(.cannotBeTool(caller.name, advice: toolAdvice)) }
        // Without a passcode every program could say that it is the tool.
        guard passcode != nil, let status = try? enclave.ask(AskStatus()), status.hasPasscode else {
            throw .call(.toolNeedsPasscode(advice: toolAdvice))
        }
        return caller.accessGroups
    }

    /// The groups of former tools that have items, but for those that are named; at most `limit`.
    func formerHomes(
        besides known: [String], limit: Int = MessageCoding.formerHomesPerReply
    ) throws(Setback) -> [FormerHome] {
        try homes(ofPrograms: OwnersGroup.toolName, limit: limit) {
            OwnersGroup.isFormerHome($0) && !known.contains($0)
        }
    }

    /// The groups of former tools with items that are not the tool's until the owner adopts them, and how many there are.
    private func unadoptedHomes() throws(Setback) -> [FormerHome] {
        let adopted = owners.lists().homes
        let homes = try formerHomes(besides: [])
        return try store.read { reader in
            try homes.compactMap { home in
                guard let items = adopted.first(where: { $0.accessGroup == home.accessGroup })?.items else {
                    return home
                }
                let count = try reader.itemCount(inAccessGroup: home.accessGroup, notAmong: items)
                return count == 0 ? nil : FormerHome(accessGroup: home.accessGroup, path: home.path, itemCount: count)
            }
        }
    }

    /// The private groups of programs of one name that have items, those that are wanted; at most `limit`. A group that
    /// holds nothing but tombstones does not count.
    private func homes(
        ofPrograms name: String, limit: Int = MessageCoding.formerHomesPerReply,
        where isWanted: (String) -> Bool = { _ in true }
    ) throws(Setback) -> [FormerHome] {
        try store.read { reader in
            // Programs whose names only begin so must not take the places of those that are meant.
            let groups = try PrivateGroup.prefixes(ofProgram: name).flatMap { prefix in
                try reader.accessGroups(beginningWith: prefix) { group in
                    PrivateGroup(group)?.program == name && isWanted(group)
                }
            }
            guard !groups.isEmpty else { return [] }
            var paths: [String: String] = [:]
            for app in try reader.apps() where app.team == nil {
                for group in try app.accessGroups() { paths[group] = app.path }
            }
            var homes: [FormerHome] = []
            for group in groups where homes.count < limit {
                let count = try reader.itemCount(inAccessGroup: group)
                guard count > 0 else { continue }
                homes.append(FormerHome(accessGroup: group, path: paths[group], itemCount: count))
            }
            return homes
        }
    }

    /// Where programs of a name have items, for the words of a call that found nothing.
    func recentHomes(ofPrograms name: String, besides known: [String]) throws(Setback) -> [FormerHome] {
        try recentHomes(.ofPrograms(name), besides: known) { () throws(Setback) in try homes(ofPrograms: name) }
    }

    /// Where an adoption would find items that the tool does not, for the same words.
    func recentUnadoptedHomes(of tool: Caller) throws(Setback) -> [FormerHome] {
        let own = tool.accessGroups.filter { tool.adoptedItems[$0] == nil }
        return try recentHomes(.unadopted, besides: own) { () throws(Setback) in try unadoptedHomes() }
    }

    private func recentHomes(
        _ question: RecentHomes.Question, besides known: [String], _ read: () throws(Setback) -> [FormerHome]
    ) throws(Setback) -> [FormerHome] {
        let uptime = clock.uptime()
        let all = try recentHomes.withLock { recent throws(Setback) in
            try recent.homes(question, uptime: uptime, read)
        }
        return all.filter { !known.contains($0.accessGroup) }
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
