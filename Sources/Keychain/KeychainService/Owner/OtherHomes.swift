import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyThreading

/// The hint for a program that does not find items that its user knows: they belong to the path of another build of the
/// program, or to another file of the owner's tool.
///
/// It tells a program nothing that the program could not request: `latchkey app list`, which is open to every program
/// of the owner, contains the paths and the number of items of all programs. The hint does not reveal whether the
/// wanted item is among them; `latchkey access explain` does, with the passcode.
final class OtherHomes: Sendable {
    private let homes: OwnersHomes
    private let toolFile: ToolFile
    private let isBehindDaemon: Bool
    private let clock: any DeviceClock
    /// The programs that were told why their calls found nothing.
    private let told = ForkMutex(MissingNotices())

    init(homes: OwnersHomes, toolFile: ToolFile, isBehindDaemon: Bool, clock: any DeviceClock) {
        self.homes = homes
        self.toolFile = toolFile
        self.isBehindDaemon = isBehindDaemon
        self.clock = clock
    }

    /// Returns true if the hint for this program has to be recorded now.
    func isDue(for caller: Caller) -> Bool {
        let uptime = clock.uptime()
        return told.withLock { $0.isDue(caller.accessGroups.first ?? "", uptime: uptime) }
    }

    /// Returns the refusal for a call that found nothing; nil if there is nothing to say.
    func refusalOfMissing(_ caller: Caller) -> Refusal? {
        guard caller.application == nil, caller.refusal == nil else { return nil }
        if caller.isOwnersTool { return refusalOfTool(caller) }
        guard let own = caller.accessGroups.first, caller.accessGroups == PrivateGroup.spellings(of: own),
            let program = PrivateGroup(own)
        else { return nil }
        if program.program == OwnersGroup.toolName, let path = toolFile.path { return refusalOfOtherTool(path) }
        guard let homes = try? homes.recent(ofPrograms: program.program, besides: caller.accessGroups) else {
            return nil
        }
        // A group that was never seen behind a daemon has no path. Programs are not told about it.
        let builds = homes.filter { $0.path != nil || !isBehindDaemon }
        guard let build = builds.max(by: { $0.itemCount < $1.itemCount }) else { return nil }
        if let path = build.path, toolFile.isFileGone(path) { return refusalOfGoneBuild(build, path) }
        let place = build.path ?? "in group \(build.accessGroup)"
        return Refusal(.otherBuildHasItems, place, Self.items(build.itemCount))
    }

    private func refusalOfTool(_ caller: Caller) -> Refusal? {
        guard let homes = try? homes.recentUnadopted(of: caller), !homes.isEmpty else { return nil }
        let places = homes.prefix(4).map { "\($0.path ?? $0.accessGroup) (\(Self.items($0.itemCount)))" }
        let more = homes.count > 4 ? " and \(homes.count - 4) more" : ""
        return Refusal(.ownerItemsElsewhere, places.joined(separator: ", "), more)
    }

    private func refusalOfGoneBuild(_ build: FormerHome, _ path: String) -> Refusal {
        Refusal(as: .removedBuildHasItems, path, Self.items(build.itemCount), build.accessGroup)
    }

    private func refusalOfOtherTool(_ path: String) -> Refusal {
        guard !toolFile.isFileGone(path) else {
            return Refusal(as: .toolMoved, path, OwnersGroup.restartAdvice)
        }
        return Refusal(.notTheOwnersTool, path)
    }

    private static func items(_ count: Int64) -> String { count == 1 ? "one item" : "\(count) items" }
}
