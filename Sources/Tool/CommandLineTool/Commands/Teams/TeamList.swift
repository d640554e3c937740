package import ArgumentParser
import LatchkeyCodeSignature
import LatchkeyEncoding
package import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey team list`.
package struct TeamList: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the teams that this device trusts or has trusted.")

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let teams = try device.teams()
        let aliases = try device.teamAliases()
        let lines = teams.map { Self.text($0, aliases: aliases) }
        return Report(
            teams.isEmpty ? "No team is trusted." : lines.joined(separator: "\n"),
            json: .array(teams.map { Self.json($0, aliases: aliases) }))
    }

    /// One team for people.
    package static func text(_ team: TrustedTeam, aliases: [PinnedAlias] = []) -> String {
        let date: (WallTime) -> String = { CalendarDate.text($0) }
        let end = team.expires.map { team.isExpired ? ", expired \(date($0))" : ", until \(date($0))" } ?? ""
        let state = team.revoked.map { "revoked \(date($0))" } ?? "trusted \(date(team.trusted))\(end)"
        let line = "\(team.key.identifier)  \(state)  \(PlainText.escaped(team.name))"
        let others = aliases.filter { $0.team == team.key.identifier }.map { alias in
            "\n            alias \(alias.alias) "
                + (alias.removed.map { "removed \(date($0))" } ?? "since \(date(alias.pinned))")
        }
        return line + others.joined()
    }

    package static func json(_ team: TrustedTeam, aliases: [PinnedAlias] = []) -> JSONValue {
        let date: (WallTime?) -> JSONValue = { $0.map { .string(CalendarDate.text($0)) } ?? .null }
        let state = team.revoked != nil ? "revoked" : team.isExpired ? "expired" : "trusted"
        return .object([
            ("team", .string(team.key.identifier.text)), ("name", .string(team.name)), ("state", .string(state)),
            ("trusted", date(team.trusted)), ("until", date(team.expires)), ("revoked", date(team.revoked)),
            ("key", .object([("hex", .string(Hexadecimal.text(team.key.bytes)))])),
            (
                "aliases",
                .array(
                    aliases.filter { $0.team == team.key.identifier && $0.removed == nil }.map {
                        .string($0.alias.text)
                    })
            ),
        ])
    }
}
