package import ArgumentParser
import LatchkeyEncoding
import LatchkeyItemModel
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
        try access.requireExchange()
        while !isOver(progress, since: first) {
            let left = end - ContinuousClock.now
            guard left > .zero else {
                throw CommandFailure(
                    .nobodyThere, "Nothing came in time.", advice: "`latchkey sync status` shows what is waited for.")
            }
            progress = try access.ask(
                AwaitSync(after: progress.number, seconds: min(AwaitSync.secondLimit, left.components.seconds + 1)))
            try access.requireExchange()
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

extension DeviceAccess {
    /// Refuses on a device that exchanges nothing, however long the user waits.
    fileprivate func requireExchange() throws(CommandFailure) {
        let report = try circle()
        guard !report.isPaused else { throw CommandFailure(.notAvailable, Refusal(.syncPaused)) }
        // An identity that has asked may be admitted at any time.
        guard report.asking == nil else { return }
        switch report.membership {
        case .departed: throw CommandFailure(.notAvailable, Refusal(.syncRemoved))
        case .void: throw CommandFailure(.notAvailable, Refusal(.syncAdmissionVoid))
        case .none, .waiting, .member: break
        }
        guard !report.alarms.contains(where: { $0.kind == .identityDuplicated }) else {
            throw CommandFailure(.notAvailable, Refusal(.syncIdentityDuplicated))
        }
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
        return .done("The circle goes on under new keys.").noting(storeTrouble: access.storeTrouble)
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
        subcommands: [SyncGroupsList.self, SyncGroupsAllow.self, SyncGroupsForbid.self])

    package init() {}
}

/// `latchkey sync groups list`.
package struct SyncGroupsList: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the groups whose items travel although they are local by default.")

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let report = try DeviceAccess(common).circle()
        guard report.isKnown, report.membership != .waiting else {
            throw CommandFailure(
                .notInCircle, "The groups of the circle are not known here.",
                why: "This device waits to be admitted, or cannot read what it has of its circle.",
                advice: "Look at `latchkey sync status`.")
        }
        let lines = report.allowedGroups.map { "  " + PlainText.escaped($0) }
        let allowed =
            lines.isEmpty ? ["No other group is allowed: latchkey sync groups allow"] : ["These are allowed as well:"]
        return Report(
            (["Groups of teams, and those that begin with \"group.\", are shared on every device."] + allowed + lines)
                .joined(separator: "\n"),
            json: .object([("allowed", .array(report.allowedGroups.map { .string($0) }))]))
    }
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
        let changed = try access.ask(
            ShareGroup(group, isShared: isShared, passcode: try access.ownersPasscode(common))
        ).isChanged
        return Report(
            text(PlainText.escaped(group), isShared: isShared, changed: changed),
            json: .object([("group", .string(group)), ("shared", .boolean(isShared))])
        ).noting(storeTrouble: changed ? access.storeTrouble : nil)
    }

    private static func text(_ group: String, isShared: Bool, changed: Bool) -> String {
        switch (isShared, changed) {
        case (true, true): "The items of \(group) travel from now on."
        case (true, false): "Nothing was changed: the items of \(group) travel already."
        case (false, true): "The items of \(group) stay from now on."
        case (false, false): "Nothing was changed: \(group) was not allowed."
        }
    }
}
