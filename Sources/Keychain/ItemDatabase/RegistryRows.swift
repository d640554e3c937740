/// A team that was trusted on this device at some time. The row remains after the trust has ended, so that the team's
/// key stays pinned. Dates are microseconds since 2001-01-01 00:00:00 UTC.
package struct TeamRow: Sendable, Hashable {
    package let identifier: String
    package let key: [UInt8]
    package var name: String
    package var trusted: Int64
    package var expires: Int64?
    package var revoked: Int64?

    package init(
        identifier: String, key: [UInt8], name: String, trusted: Int64, expires: Int64?, revoked: Int64?
    ) {
        self.identifier = identifier
        self.key = key
        self.name = name
        self.trusted = trusted
        self.expires = expires
        self.revoked = revoked
    }
}

/// A program that has used this device. Dates are microseconds since 2001-01-01 00:00:00 UTC.
package struct AppRow: Sendable, Hashable {
    package let application: String
    /// Nil for an unsigned program.
    package let team: String?
    package let level: String
    /// Its access groups in order, encoded by the caller.
    package let groups: [UInt8]
    package let digest: [UInt8]
    package let path: String
    package var firstSeen: Int64
    package var lastSeen: Int64

    package init(
        application: String, team: String?, level: String, groups: [UInt8], digest: [UInt8], path: String,
        firstSeen: Int64, lastSeen: Int64
    ) {
        self.application = application
        self.team = team
        self.level = level
        self.groups = groups
        self.digest = digest
        self.path = path
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}
