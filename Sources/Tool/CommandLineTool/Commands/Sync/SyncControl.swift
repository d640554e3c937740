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
        // A store that does not answer now may do so in time.
        if untilSettled { _ = try? access.ask(ExchangeNow()) }
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

/// `latchkey sync now`.
package struct SyncNow: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "now", abstract: "Exchange now, and do not wait for a sign of the store.")

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let access = try DeviceAccess(common, changes: true)
        try access.ask(ExchangeNow())
        return .done("What this device has is in the store, and what the store shows was read.")
    }
}

/// `latchkey sync pause`.
package struct SyncPause: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Exchange nothing until the end of the pause. Asks for the passcode.")

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let access = try DeviceAccess(common, changes: true)
        try access.ask(PauseSync(true, passcode: try access.ownersPasscode(common)))
        return .done("Nothing is exchanged until `latchkey sync resume`. Changes wait.")
    }
}

/// `latchkey sync resume`.
package struct SyncResume: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "End a pause. Asks for the passcode.")

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let access = try DeviceAccess(common, changes: true)
        try access.ask(PauseSync(false, passcode: try access.ownersPasscode(common)))
        return .done("Items are exchanged again.")
    }
}

/// `latchkey sync rekey`.
package struct SyncRekey: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "rekey", abstract: "Go on under new keys of the circle. Asks for the passcode.")

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let access = try DeviceAccess(common, changes: true)
        try access.ask(ChangeCircleKeys(passcode: try access.ownersPasscode(common)))
        return .done("The circle goes on under new keys.")
    }
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
