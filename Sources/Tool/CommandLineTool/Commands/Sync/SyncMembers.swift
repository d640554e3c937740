package import ArgumentParser
import LatchkeyEncoding
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey sync remove`.
package struct SyncRemove: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a device from the circle. Asks for the passcode.",
        discussion: """
            The others go on under new keys, which the device never gets. What it could read before it keeps: its \
            secrets are to be changed. The command lists how many there are.
            """)

    @Argument(
        help: ArgumentHelp("Its name or its identifier in `latchkey sync devices`.", valueName: "device"))
    package var device: String

    @Flag(help: "Ask the device to delete the items of the circle, if it ever sees that.")
    package var deleteItems = false

    @Flag(help: "Do not ask whether it is meant.")
    package var yes = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let access = try DeviceAccess(common, changes: true)
        let devices = try access.activeCircle().devices
        let found = try Self.device(device, in: devices)
        let name = SyncWords.name(of: found)
        if !yes {
            let confirmation = Confirmation(word: "remove", unchanged: "No device was removed.")
            try confirmation.requireTerminal(why: "The removal of a device cannot be taken back.")
            try confirmation.ask(
                "The device \(name), \(Hexadecimal.text(found.identifier)), is removed for ever.", to: "remove it")
        }
        let removed = try access.ask(
            RemoveDevice(
                found.identifier, deletesItems: deleteItems, passcode: try access.ownersPasscode(common)))
        return report(removed, name).noting(storeTrouble: access.storeTrouble)
    }

    private func report(_ removed: RemovedDevice, _ name: String) -> Report {
        let groups = removed.readableItems.sorted { $0.key < $1.key }
        var lines = ["The device \(name) is removed."]
        if !groups.isEmpty {
            lines.append("It could read these; change the secrets in them:")
            lines += groups.map { "  \(PlainText.escaped($0.key)): \(ItemCount.text(Int($0.value), "item"))" }
        }
        var pieces: [Report.Piece] = [.text(lines.joined(separator: "\n") + "\n")]
        var members: [(String, JSONValue)] = [
            ("removed", .string(name)), ("readableItems", .object(groups.map { ($0.key, .integer($0.value)) })),
        ]
        if let code = removed.recoveryCode {
            pieces += [
                .text("It had set the recovery code. The new one is shown this once:\n\n    "), .secret(code),
                .text("\n"),
            ]
            members.append(("recoveryCode", .secret(code)))
        }
        let report = Report(pieces: pieces, json: .object(members))
        return removed.recoveryCode.map {
            report.showing($0, orElse: "The device \(name) is removed, and the new recovery code was not shown.")
        } ?? report
    }

    private static func device(_ word: String, in devices: [CircleDevice]) throws(CommandFailure) -> CircleDevice {
        let members = devices.filter(\.isMember)
        if let bytes = Hexadecimal.bytes(from: word.utf8), let found = members.first(where: { $0.identifier == bytes })
        {
            return found
        }
        let named = members.filter { $0.deviceName?.utf8.elementsEqual(word.utf8) ?? false }
        guard named.count <= 1 else {
            throw CommandFailure(
                .ambiguousItem, "Several devices have this name.", advice: "Give the identifier of one of them.")
        }
        guard let found = named.first else {
            throw CommandFailure(
                .notRegistered, "The circle has no such device.", advice: "`latchkey sync devices` lists them.")
        }
        return found
    }
}

/// `latchkey sync leave`.
package struct SyncLeave: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "leave", abstract: "Take this device out of its circle. Asks for the passcode.",
        discussion: """
            Without one of the two options a terminal is asked whether the items stay on this device; elsewhere they stay. \
            The others go on under new keys.
            """)

    @Flag(help: "Keep the items on this device.")
    package var keepItems = false

    @Flag(help: "Delete the items of the circle from this device.")
    package var deleteItems = false

    @Flag(help: "Leave although not everything of this device has reached another one, or the store does not answer.")
    package var force = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        guard !(keepItems && deleteItems) else {
            throw CommandFailure(.usage, "The items are kept, or deleted.", advice: "Say one of the two.")
        }
        let access = try DeviceAccess(common, changes: true)
        let deletes = try keepItems || deleteItems ? deleteItems : Self.asksToDelete()
        try access.ask(
            LeaveCircle(deletesItems: deletes, isForced: force, passcode: try access.ownersPasscode(common)))
        return Report(
            "This device is in no circle any more. Its items \(deletes ? "are deleted" : "stay").",
            json: .object([("left", .boolean(true)), ("deletedItems", .boolean(deletes))]))
    }

    /// Asks what becomes of the items. They stay where there is no terminal.
    private static func asksToDelete() throws(CommandFailure) -> Bool {
        guard Confirmation.isPossible else { return false }
        StandardError.write(
            "The items of the circle can stay on this device, or be deleted from it; the other devices keep them.\n"
                + "Type keep or delete: ")
        switch readLine() {
        case "keep": return false
        case "delete": return true
        default:
            throw CommandFailure(
                .notConfirmed, "This device did not leave.", why: "The answer was neither \"keep\" nor \"delete\".")
        }
    }
}

/// `latchkey sync recovery-code`.
package struct SyncRecoveryCode: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "recovery-code", abstract: "Replace the recovery code of the circle.",
        subcommands: [SyncRecoveryCodeNew.self])

    package init() {}
}

/// `latchkey sync recovery-code new`.
package struct SyncRecoveryCodeNew: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make a new recovery code, which ends the one before. Asks for the passcode.")

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let access = try DeviceAccess(common, changes: true)
        let made = try access.ask(ReplaceRecoveryCode(passcode: try access.ownersPasscode(common)))
        return .secret(
            made.code, named: "recoveryCode", before: "The new recovery code is shown this once:\n",
            after: "The one before opens nothing of this circle any more."
        ).noting(storeTrouble: access.storeTrouble).showing(
            made.code, orElse: "The former recovery code is void, and the new one was not shown.")
    }
}
