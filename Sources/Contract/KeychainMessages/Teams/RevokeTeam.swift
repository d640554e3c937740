package import LatchkeyCodeSignature
package import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Signatures of the team count no more.
package struct RevokeTeam: OwnersChange {
    package static let number: Int64 = 2
    package static let name = "revoke-team"

    package let team: TeamIdentifier
    package let passcode: SecretBox?

    package init(_ team: TeamIdentifier, passcode: SecretBox?) {
        self.team = team
        self.passcode = passcode
    }

    package var subject: String { team.text }

    package func write(to writer: inout FieldWriter) {
        writer.text(team.text)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        guard let team = TeamIdentifier(try fields.text("team")) else { throw .badField("team") }
        self.init(team, passcode: try fields.passcode())
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> Done {
        try device.answer(self)
    }
}
