package import LatchkeyCodeSignature
package import LatchkeySecretMemory

/// Groups with the alias in front may be the team's from now on, and never another team's.
package struct PinTeamAlias: OwnersChange {
    package static let number: Int64 = 11
    package static let name = "pin-team-alias"

    package let alias: TeamAlias
    package let team: TeamIdentifier
    package let passcode: SecretBox?

    package init(_ alias: TeamAlias, to team: TeamIdentifier, passcode: SecretBox?) {
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
        self.init(try fields.teamAlias(), to: try fields.teamIdentifier(), passcode: try fields.passcode())
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> StoredGroupCount {
        try device.answer(self)
    }
}

/// The number of access groups that had items under an alias before a team had it.
package struct StoredGroupCount: KeychainAnswer, Hashable {
    package static let replyNumber: Int64 = 12

    package let count: Int

    package init(_ count: Int) {
        self.count = count
    }

    package func write(to writer: inout FieldWriter) {
        writer.integer(Int64(count))
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        guard let count = Int(exactly: try fields.count("groups")) else { throw .badField("groups") }
        self.init(count)
    }
}

extension MessageFields {
    mutating func teamAlias() throws(MessageCodingFailure) -> TeamAlias {
        guard let alias = TeamAlias(try text("alias")) else { throw .badField("alias") }
        return alias
    }

    mutating func teamIdentifier() throws(MessageCodingFailure) -> TeamIdentifier {
        guard let team = TeamIdentifier(try text("team")) else { throw .badField("team") }
        return team
    }
}
