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
        let teams = try DeviceAccess(common).teams()
        let text = teams.isEmpty ? "No team is trusted." : teams.map(Self.text).joined(separator: "\n")
        return Report(text, json: .array(teams.map(Self.json)))
    }

    /// One team for people.
    package static func text(_ team: TrustedTeam) -> String {
        let date: (WallTime) -> String = { CalendarDate.text($0) }
        let end = team.expires.map { team.isExpired ? ", expired \(date($0))" : ", until \(date($0))" } ?? ""
        let state = team.revoked.map { "revoked \(date($0))" } ?? "trusted \(date(team.trusted))\(end)"
        return "\(team.key.identifier)  \(state)  \(PlainText.escaped(team.name))"
    }

    package static func json(_ team: TrustedTeam) -> JSONValue {
        let date: (WallTime?) -> JSONValue = { $0.map { .string(CalendarDate.text($0)) } ?? .null }
        let state = team.revoked != nil ? "revoked" : team.isExpired ? "expired" : "trusted"
        return .object([
            ("team", .string(team.key.identifier.text)), ("name", .string(team.name)), ("state", .string(state)),
            ("trusted", date(team.trusted)), ("until", date(team.expires)), ("revoked", date(team.revoked)),
            ("key", .object([("hex", .string(Hexadecimal.text(team.key.bytes)))])),
        ])
    }
}
