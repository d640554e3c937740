package import ArgumentParser
import Foundation
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages

/// `latchkey migrate`.
package struct MigrateCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Move the items of all programs from one device to another one.",
        discussion: """
            Without options: from the device in your own directory to the system's, where both are there. Items keep \
            their access groups, protection classes and conditions, and their dates of creation unless they ask for a \
            person. Each is deleted from the first device once the second has it on its disk; what cannot be moved \
            stays, and is named. Asks for the passcodes of the two devices, the first one's first.
            """)

    @Option(help: ArgumentHelp("The device to take items from.", valueName: "dir|unix:socket"), completion: .directory)
    package var from: String?

    @Option(help: ArgumentHelp("The device to bring them to.", valueName: "dir|unix:socket"), completion: .directory)
    package var to: String?

    @Flag(help: "Copy the items: the first device keeps them.")
    package var keep = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        guard common.device == nil else {
            throw CommandFailure(
                .usage, "A migration has two devices, and --device names one.",
                advice: "Name them with --from and --to.")
        }
        let (first, second) = try (source(), target())
        guard !SameFile.isNamed(by: MigrationEnd.name(of: first), and: MigrationEnd.name(of: second)) else {
            throw .sameDevice(MigrationEnd.name(of: first))
        }
        var source = try MigrationEnd(first, role: .source, keepsItems: keep)
        var target = try MigrationEnd(second, role: .target, keepsItems: keep)
        // A directory and a socket, or two ways to one directory.
        guard source.name != target.name, !SameFile.isNamed(by: source.name, and: target.name) else {
            throw .sameDevice(source.name)
        }
        // Both can be used: only now is the user prompted.
        try source.unlock(common.secrets)
        try target.unlock(common.secrets)
        let teams = try MigrationReport.teams(of: source)
        var migration = Migration(source: source, target: target, keepsItems: keep)
        migration.run()
        return MigrationReport(migration, teams: teams).report
    }

    private func source() throws(CommandFailure) -> DeviceLocation {
        if let from { return try MigrationEnd.location(named: from) }
        guard let second = DeviceLocation.secondDevice() else {
            throw CommandFailure(
                .deviceUnreachable, "There is no second device to take items from.",
                why: "Only where the system's device is used does one in your own directory lie unused.",
                advice: "Name the device with --from.")
        }
        return try MigrationEnd.location(named: second.path)
    }

    private func target() throws(CommandFailure) -> DeviceLocation {
        if let to { return try MigrationEnd.location(named: to) }
        do {
            return try DeviceLocation.ofThisProcess()
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    /// Each item would be there already, and be deleted as one that had moved.
    fileprivate static func sameDevice(_ name: String) -> CommandFailure {
        CommandFailure(
            .usage, "Both ends of the migration are the device \(name).",
            advice: "Name the device to take items from with --from, and the other one with --to.")
    }
}
