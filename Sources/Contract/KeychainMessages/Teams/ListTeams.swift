package import LatchkeyCodeSignature
package import LatchkeyEncoding

/// The teams of the device, by their identifiers.
package struct ListTeams: ListedDeviceQuestion, BareKeychainQuestion {
    package static let number: Int64 = 3
    package static let traits: KeychainTraits = .repeatable
    package static let name = "list-teams"

    package init() {}

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> [TrustedTeam] {
        try device.answer(self)
    }
}

/// A team that the device knows.
package struct TrustedTeam: Sendable, Hashable {
    package let key: TeamPublicKey
    /// A name for texts, chosen when the team was trusted.
    package let name: String
    package let trusted: WallTime
    /// The date when the trust expires; nil if it does not expire.
    package let expires: WallTime?
    /// The date when the trust was revoked; nil if it was not.
    package let revoked: WallTime?
    /// True if `expires` is in the past by the device's clock.
    package let isExpired: Bool

    package init(
        key: TeamPublicKey, name: String, trusted: WallTime, expires: WallTime? = nil, revoked: WallTime? = nil,
        isExpired: Bool = false
    ) {
        self.key = key
        self.name = name
        self.trusted = trusted
        self.expires = expires
        self.revoked = revoked
        self.isExpired = isExpired
    }
}

extension TrustedTeam: ListedKeychainAnswer {
    package static let listNumber: Int64 = 5
    package static let listName = "teams"
    package static let listLimit = 4096

    package func write(to writer: inout FieldWriter) {
        writer.data(key.bytes)
        writer.text(name)
        writer.date(trusted)
        writer.optionalDate(expires)
        writer.optionalDate(revoked)
        writer.boolean(isExpired)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(
            key: try fields.teamKey(), name: try fields.text("name"), trusted: try fields.date("trusted"),
            expires: try fields.optionalDate("expires"), revoked: try fields.optionalDate("revoked"),
            isExpired: try fields.boolean("is expired"))
    }
}
