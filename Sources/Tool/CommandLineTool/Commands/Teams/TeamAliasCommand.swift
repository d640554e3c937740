package import ArgumentParser
import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages

/// `latchkey team alias`.
package struct TeamAliasCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "alias",
        abstract: "Let a team have groups with another prefix, such as that of an Apple team.",
        discussion: """
            For programs that have a group such as A1B2C3D4E5.com.example.shared in their source. They are signed with \
            `latchkey codesign --alias A1B2C3D4E5`. On this device no other team ever gets the prefix, also after \
            --remove: only erasing the device frees it.
            """)

    @Flag(help: "Take the prefix away again: programs that are signed with it get no groups.")
    package var remove = false

    @Argument(help: ArgumentHelp("The ten characters of the team's identifier.", valueName: "team"))
    package var team: String

    @Argument(help: ArgumentHelp("The prefix: ten capital letters and digits.", valueName: "alias"))
    package var alias: String

    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        guard TeamIdentifier(team) != nil else {
            throw ValidationError("A team's identifier has ten characters, A to Z and 2 to 7.")
        }
        guard TeamAlias(alias) != nil else {
            throw ValidationError(TeamAlias.form)
        }
    }

    package func perform() throws(CommandFailure) -> Report {
        guard let team = TeamIdentifier(team), let alias = TeamAlias(alias) else {
            throw CommandFailure(.usage, "This is not a team identifier, or not an alias.")
        }
        let device = try DeviceAccess(common, changes: true)
        let passcode = try device.status().enclave.hasPasscode ? try common.secrets.passcode() : nil
        var storedGroups = 0
        if remove {
            try device.ask(RemoveTeamAlias(alias, of: team, passcode: passcode))
        } else {
            storedGroups = try device.ask(PinTeamAlias(alias, to: team, passcode: passcode)).count
        }
        if storedGroups > 0 { StandardError.write(Self.note(storedGroups, under: alias, of: team)) }
        return Report(
            remove
                ? "\(alias) is no longer an alias of team \(team). Items of its groups stay; no other team gets them."
                : "\(alias) is an alias of team \(team). It is pinned on this device.",
            json: .object([
                ("team", .string(team.text)), ("alias", .string(alias.text)), ("removed", .boolean(remove)),
                ("storedGroups", .integer(Int64(storedGroups))),
            ]))
    }

    /// Items under the prefix that were on the device before any team had it: of a backup or of other devices.
    private static func note(_ groups: Int, under alias: TeamAlias, of team: TeamIdentifier) -> String {
        let named = groups == 1 ? "1 access group" : "\(groups) access groups"
        return "latchkey: note: \(named) with this prefix had items here before, and programs of team \(team) get them "
            + "now. `latchkey team alias --remove \(team) \(alias)` ends that, but no other team can get the prefix.\n"
    }
}

extension TeamAlias {
    /// The form of an alias, for people whose word has another one.
    static let form = "An alias has ten characters, A to Z and 0 to 9, without a period."
}
