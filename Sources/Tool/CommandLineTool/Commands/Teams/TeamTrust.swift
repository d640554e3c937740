package import ArgumentParser
import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey team trust`.
package struct TeamTrust: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Let the programs that a team signed have the groups they are entitled to.",
        discussion: """
            The device pins the team's key: no other key with the same identifier is ever trusted on it. Trusting a \
            team again changes its name and the end of the trust, also after a revocation.
            """)

    @Argument(
        help: ArgumentHelp(
            "The team's file (.team, or a public key in PEM), or its key in hexadecimal or base64.",
            valueName: "file-or-key"),
        completion: .file())
    package var team: String

    @Option(help: ArgumentHelp("The team's name here; else that of its file or of this device.", valueName: "name"))
    package var name: String?

    @Option(help: ArgumentHelp("Trust it until this day or moment (UTC), 2027-01-31 or 2027-01-31T12:00:00Z."))
    package var until: String?

    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        if let until, CalendarDate.secondsSince2001(until) == nil {
            throw ValidationError("--until wants a date that exists: 2027-01-31, or 2027-01-31T12:00:00Z.")
        }
        if let name, !TeamFile.isName(name) {
            throw ValidationError("A name has 1 to \(TeamFile.nameLimit) bytes, and nothing that cannot be seen.")
        }
    }

    package func perform() throws(CommandFailure) -> Report {
        let named = try TeamKeyArgument(team)
        let identifier = named.key.identifier.text
        let end = until.flatMap { CalendarDate.secondsSince2001($0) }.map { WallTime(secondsSince2001: $0) }
        let device = try DeviceAccess(common, makesDevice: true)
        let known = try device.name(of: named.key)
        let name = name ?? named.name ?? known ?? identifier
        let passcode = try device.status().enclave.hasPasscode ? try common.secrets.passcode() : nil
        try device.ask(TrustTeam(key: named.key, name: name, expires: end, passcode: passcode))
        let shown = name == identifier ? "" : " (\(PlainText.escaped(name)))"
        let limit = end.map { " until \(CalendarDate.text($0))" } ?? ""
        return Report(
            "Team \(identifier)\(shown) is trusted\(limit). Its key is pinned on this device.",
            json: .object([
                ("team", .string(identifier)), ("name", .string(name)),
                ("until", end.map { .string(CalendarDate.text($0)) } ?? .null),
            ]))
    }
}

extension DeviceAccess {
    /// The name under which the device already knows a team.
    fileprivate func name(of key: TeamPublicKey) throws(CommandFailure) -> String? {
        try teams().first { $0.key == key }?.name
    }
}

/// `latchkey team revoke`.
package struct TeamRevoke: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Trust a team no longer: its programs get no groups. Its key stays pinned.")

    @Argument(help: ArgumentHelp("The ten characters of the team's identifier.", valueName: "team"))
    package var team: String

    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        guard TeamIdentifier(team) != nil else {
            throw ValidationError("A team's identifier has ten characters, A to Z and 2 to 7.")
        }
    }

    package func perform() throws(CommandFailure) -> Report {
        guard let identifier = TeamIdentifier(team) else {
            throw CommandFailure(.usage, "This is not a team identifier.")
        }
        let device = try DeviceAccess(common, changes: true)
        let passcode = try device.status().enclave.hasPasscode ? try common.secrets.passcode() : nil
        try device.ask(RevokeTeam(identifier, passcode: passcode))
        return Report(
            "Team \(identifier) is no longer trusted. Its programs get no groups; their items stay.",
            json: .object([("team", .string(identifier.text)), ("revoked", .boolean(true))]))
    }
}
