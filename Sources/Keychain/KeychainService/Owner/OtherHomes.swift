import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import Synchronization

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
    private let told = Mutex(MissingNotices())

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
        return Refusal(
            rule: .otherBuildHasItems,
            reason: "No item fits. Another build of this program, \(place), has \(Self.items(build.itemCount)) of its "
                + "own: an unsigned program is known by its path.",
            advice: "Run that build, or sign both for one app (latchkey codesign). latchkey access explain PROGRAM "
                + "SERVICE says which of them has an item.")
    }

    private func refusalOfTool(_ caller: Caller) -> Refusal? {
        guard let homes = try? homes.recentUnadopted(of: caller), !homes.isEmpty else { return nil }
        let places = homes.prefix(4).map { "\($0.path ?? $0.accessGroup) (\(Self.items($0.itemCount)))" }
        let more = homes.count > 4 ? " and \(homes.count - 4) more" : ""
        return Refusal(
            rule: .ownerItemsElsewhere,
            reason: "No item fits. Items of the owner are under former paths of the tool: "
                + places.joined(separator: ", ") + more + ".",
            advice: "latchkey adopt makes them the owner's, wherever the tool lies.")
    }

    private func refusalOfGoneBuild(_ build: FormerHome, _ path: String) -> Refusal {
        Refusal(
            rule: .otherBuildHasItems,
            reason: "No item fits. Another build of this program, \(path), had \(Self.items(build.itemCount)) of its "
                + "own, which are still there, but its file was removed: an unsigned program is known by its path.",
            advice: "latchkey dump-keychain --access-group \(build.accessGroup) shows those items. "
                + "A build at the old path finds them again.")
    }

    private func refusalOfOtherTool(_ path: String) -> Refusal {
        guard !toolFile.isFileGone(path) else {
            return Refusal(
                rule: .notTheOwnersTool,
                reason: "No item fits. The owner's items belong to the tool beside this device's daemon. Its file was "
                    + "moved or removed since the daemon started: \(path).",
                advice: OwnersGroup.restartAdvice)
        }
        return Refusal(
            rule: .notTheOwnersTool,
            reason: "No item fits. The owner's items belong to the tool of this device's installation, \(path), and "
                + "this program is another file.",
            advice:
                "Use \(path), or let this one be the owner's tool as well: latchkey adopt. It asks for the passcode.")
    }

    private static func items(_ count: Int64) -> String { count == 1 ? "one item" : "\(count) items" }
}
