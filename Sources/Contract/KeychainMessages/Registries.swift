package import LatchkeyCodeSignature

/// A team as the device knows it. Dates are seconds since 2001-01-01 00:00:00 UTC.
package struct TrustedTeam: Sendable, Hashable {
    package let key: TeamPublicKey
    /// For people; whoever trusted the team chose it.
    package let name: String
    package let trusted: Double
    /// When the trust ends by itself; nil for never.
    package let expires: Double?
    /// When the trust was taken back; nil while it was not.
    package let revoked: Double?
    /// Whether `expires` is over by the device's clock.
    package let isExpired: Bool

    package init(
        key: TeamPublicKey, name: String, trusted: Double, expires: Double? = nil, revoked: Double? = nil,
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

/// A program as it showed itself on a connection.
package struct SeenApplication: Sendable, Hashable {
    /// `TEAM.bundle`, or the path of an unsigned program.
    package let application: String
    /// Nil for an unsigned program.
    package let team: TeamIdentifier?
    package let level: AssuranceLevel
    /// In the order of its entitlements.
    package let accessGroups: [String]
    /// SHA-256 of the executable without its signature.
    package let digest: [UInt8]
    package let path: String

    package init(
        application: String, team: TeamIdentifier?, level: AssuranceLevel, accessGroups: [String], digest: [UInt8],
        path: String
    ) {
        self.application = application
        self.team = team
        self.level = level
        self.accessGroups = accessGroups
        self.digest = digest
        self.path = path
    }
}

/// A program that has used the device. Dates are seconds since 2001-01-01 00:00:00 UTC.
package struct RegisteredApplication: Sendable, Hashable {
    /// As it was when it was seen last.
    package let seen: SeenApplication
    package let firstSeen: Double
    /// To a day.
    package let lastSeen: Double
    /// Items of its groups, of shared ones too; the token group and `*` aside.
    package let itemCount: Int64

    package init(seen: SeenApplication, firstSeen: Double, lastSeen: Double, itemCount: Int64) {
        self.seen = seen
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.itemCount = itemCount
    }
}
