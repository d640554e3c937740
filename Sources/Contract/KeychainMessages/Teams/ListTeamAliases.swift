package import LatchkeyCodeSignature
package import LatchkeyEncoding

/// The aliases of teams on the device, also those that were taken away.
package struct ListTeamAliases: ListedDeviceQuestion, BareKeychainQuestion {
    package static let number: Int64 = 13
    package static let traits: KeychainTraits = .repeatable
    package static let name = "list-team-aliases"

    package init() {}

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> [PinnedAlias] {
        try device.answer(self)
    }
}

/// An alias, and the team that it belongs to.
package struct PinnedAlias: Sendable, Hashable {
    package let alias: TeamAlias
    package let team: TeamIdentifier
    package let pinned: WallTime
    /// The date when it was taken away; nil if the team has it.
    package let removed: WallTime?

    package init(_ alias: TeamAlias, team: TeamIdentifier, pinned: WallTime, removed: WallTime? = nil) {
        self.alias = alias
        self.team = team
        self.pinned = pinned
        self.removed = removed
    }
}

extension PinnedAlias: ListedKeychainAnswer {
    package static let listNumber: Int64 = 13
    package static let listName = "aliases"
    package static let listLimit = 256

    package func write(to writer: inout FieldWriter) {
        writer.text(alias.text)
        writer.text(team.text)
        writer.date(pinned)
        writer.optionalDate(removed)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(
            try fields.teamAlias(), team: try fields.teamIdentifier(), pinned: try fields.date("pinned"),
            removed: try fields.optionalDate("removed"))
    }
}
