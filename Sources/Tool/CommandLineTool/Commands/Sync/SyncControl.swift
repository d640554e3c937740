package import ArgumentParser
import LatchkeyEncoding
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey sync wait`.
package struct SyncWait: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait for the next change by another device, or until nothing is pending.")

    @Flag(help: "Return when no change of this device waits, and everything that the store shows is here.")
    package var untilSettled = false

    @Option(help: ArgumentHelp("Give up after so many seconds.", valueName: "s"))
    package var timeout: Int?

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let access = try DeviceAccess(common)
        _ = try access.circle()
        if untilSettled { try access.ask(ControlSync(.exchange)) }
        let end = ContinuousClock.now + .seconds(timeout ?? Int(Int32.max))
        let first = try access.ask(AwaitSync(after: nil))
        var progress = first
        while !isOver(progress, since: first) {
            let left = end - ContinuousClock.now
            guard left > .zero else {
                throw CommandFailure(
                    .nobodyThere, "Nothing came in time.", advice: "`latchkey sync status` shows what is waited for.")
            }
            progress = try access.ask(
                AwaitSync(after: progress.number, seconds: min(AwaitSync.secondLimit, left.components.seconds + 1)))
        }
        return Report(
            untilSettled ? "Nothing is pending." : "Another device has changed something.",
            json: .object([
                ("settled", .boolean(progress.isSettled)),
                ("remoteChanges", .integer(progress.remoteChanges - first.remoteChanges)),
            ]))
    }

    private func isOver(_ progress: SyncProgress, since first: SyncProgress) -> Bool {
        untilSettled ? progress.isSettled : progress.remoteChanges > first.remoteChanges
    }
}

/// A command that only tells the exchange to do something.
protocol SyncControlCommand: ToolCommand {
    static var act: ControlSync.Act { get }
    static var done: String { get }
}

extension SyncControlCommand {
    package func perform() throws(CommandFailure) -> Report {
        try DeviceAccess(common, changes: true).ask(ControlSync(Self.act))
        return .done(Self.done)
    }
}

/// `latchkey sync now`.
package struct SyncNow: SyncControlCommand {
    package static let configuration = CommandConfiguration(
        commandName: "now", abstract: "Look into the store now, and do not wait for a sign of it.")
    static let act = ControlSync.Act.exchange
    static let done = "The store was looked at."

    @OptionGroup package var common: CommonOptions

    package init() {}
}

/// `latchkey sync pause`.
package struct SyncPause: SyncControlCommand {
    package static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Exchange nothing until `latchkey sync resume`. Changes wait.")
    static let act = ControlSync.Act.pause
    static let done = "Nothing is exchanged until `latchkey sync resume`."

    @OptionGroup package var common: CommonOptions

    package init() {}
}

/// `latchkey sync resume`.
package struct SyncResume: SyncControlCommand {
    package static let configuration = CommandConfiguration(commandName: "resume", abstract: "End a pause.")
    static let act = ControlSync.Act.resume
    static let done = "Items are exchanged again."

    @OptionGroup package var common: CommonOptions

    package init() {}
}

/// `latchkey sync rekey`.
package struct SyncRekey: SyncControlCommand {
    package static let configuration = CommandConfiguration(
        commandName: "rekey", abstract: "Go on under new keys of the circle.")
    static let act = ControlSync.Act.changeKeys
    static let done = "The circle goes on under new keys."

    @OptionGroup package var common: CommonOptions

    package init() {}
}

/// `latchkey sync groups`.
package struct SyncGroups: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "groups", abstract: "Let the items of a group travel that is local by default.",
        discussion: """
            Groups of teams, and those that begin with "group.", are shared. The group of a program without a signature \
            means its path on this machine, so its items stay unless the group is allowed; on the other devices only a \
            program of the same group finds them.
            """,
        subcommands: [SyncGroupsAllow.self, SyncGroupsForbid.self])

    package init() {}
}

/// `latchkey sync groups allow`.
package struct SyncGroupsAllow: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "allow", abstract: "Share the items of a group, on all devices. Asks for the passcode.")

    @Argument(help: "The access group.")
    package var group: String

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        try ShareGroup.perform(group, isShared: true, common)
    }
}

/// `latchkey sync groups forbid`.
package struct SyncGroupsForbid: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "forbid", abstract: "Share the items of a group no longer. Asks for the passcode.")

    @Argument(help: "The access group.")
    package var group: String

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        try ShareGroup.perform(group, isShared: false, common)
    }
}

extension ShareGroup {
    fileprivate static func perform(
        _ group: String, isShared: Bool, _ common: CommonOptions
    ) throws(CommandFailure) -> Report {
        guard (1...groupByteLimit).contains(group.utf8.count) else {
            throw CommandFailure(.usage, "A group has 1 to \(groupByteLimit) bytes.")
        }
        let access = try DeviceAccess(common, changes: true)
        try access.ask(ShareGroup(group, isShared: isShared, passcode: try access.ownersPasscode(common)))
        return Report(
            "The items of \(PlainText.escaped(group)) \(isShared ? "travel" : "stay") from now on.",
            json: .object([("group", .string(group)), ("shared", .boolean(isShared))]))
    }
}
