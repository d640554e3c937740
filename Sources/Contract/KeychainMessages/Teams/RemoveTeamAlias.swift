package import LatchkeyCodeSignature
package import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Programs of the team have the alias no longer. No other team gets it.
package struct RemoveTeamAlias: OwnersChange {
    package static let number: Int64 = 12
    package static let name = "remove-team-alias"

    package let alias: TeamAlias
    package let team: TeamIdentifier
    package let passcode: SecretBox?

    package init(_ alias: TeamAlias, of team: TeamIdentifier, passcode: SecretBox?) {
        self.alias = alias
        self.team = team
        self.passcode = passcode
    }

    package var subject: String { "\(team) \(alias)" }

    package func write(to writer: inout FieldWriter) {
        writer.text(alias.text)
        writer.text(team.text)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(try fields.teamAlias(), of: try fields.teamIdentifier(), passcode: try fields.passcode())
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> Done {
        try device.answer(self)
    }
}
