import LatchkeyCodeSignature
import LatchkeyEnclaveCore
import LatchkeyPropertyListDER

/// Replies about teams and apps.
extension MessageCoding {
    package static let applicationsPerReply = 4096
    package static let teamsPerReply = 4096

    private static func key(_ fields: inout MessageFields) throws(MessageCodingFailure) -> TeamPublicKey {
        guard let key = TeamPublicKey(try fields.data("key")) else { throw .badField("key") }
        return key
    }

    private static func optional(_ date: Double?) -> PropertyValue {
        date.map { .date($0) } ?? .null
    }

    static func value(of team: TrustedTeam) -> PropertyValue {
        .array([
            .data(team.key.bytes), .string(team.name), .date(team.trusted), optional(team.expires),
            optional(team.revoked), .boolean(team.isExpired),
        ])
    }

    static func teams(_ fields: inout MessageFields) throws(MessageCodingFailure) -> [TrustedTeam] {
        try fields.elements("teams", limit: teamsPerReply) { fields throws(MessageCodingFailure) in
            TrustedTeam(
                key: try key(&fields), name: try fields.text("name"), trusted: try fields.date("trusted"),
                expires: try fields.optionalDate("expires"), revoked: try fields.optionalDate("revoked"),
                isExpired: try fields.boolean("is expired"))
        }
    }

    static func value(of application: RegisteredApplication) -> PropertyValue {
        let seen = application.seen
        return .array([
            .string(seen.application), seen.team.map { .string($0.text) } ?? .null, .string(seen.level.rawValue),
            .array(seen.accessGroups.map { .string($0) }), .data(seen.digest), .string(seen.path),
            .date(application.firstSeen), .date(application.lastSeen), .integer(application.itemCount),
        ])
    }

    static func applications(
        _ fields: inout MessageFields
    ) throws(MessageCodingFailure) -> [RegisteredApplication] {
        try fields.elements("applications", limit: applicationsPerReply) { fields throws(MessageCodingFailure) in
            RegisteredApplication(
                seen: try seen(&fields), firstSeen: try fields.date("first seen"),
                lastSeen: try fields.date("last seen"), itemCount: try fields.count("item count"))
        }
    }

    private static func seen(_ fields: inout MessageFields) throws(MessageCodingFailure) -> SeenApplication {
        let application = try fields.text("application")
        let team = try fields.optionalText("team")
        guard team == nil || team.flatMap({ TeamIdentifier($0) }) != nil else { throw .badField("team") }
        guard let level = AssuranceLevel(rawValue: try fields.text("level")) else { throw .badField("level") }
        var groups: [String] = []
        for value in try fields.list("groups", limit: groupsPerApplication) {
            guard case .string(let group) = value else { throw .badField("groups") }
            groups.append(group)
        }
        return SeenApplication(
            application: application, team: team.flatMap { TeamIdentifier($0) }, level: level, accessGroups: groups,
            digest: try fields.data("digest"), path: try fields.text("path"))
    }

    /// Three lists of entitlements and the application identifier at most.
    package static let groupsPerApplication = 3 * ProgramEntitlements.groupLimit + 1
}
