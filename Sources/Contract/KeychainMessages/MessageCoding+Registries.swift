import LatchkeyCodeSignature
import LatchkeyEnclaveCore
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// What concerns teams and apps: requests are lists that begin with their number, because the enclave has no part in
/// them.
extension MessageCoding {
    package static let applicationsPerReply = 4096
    package static let teamsPerReply = 4096

    private enum RegistryKind: Int64 {
        case trustTeam = 1
        case revokeTeam = 2
        case teams = 3
        case applications = 4
        case forgetApplication = 5
        case configureApplications = 6
        case requireLevel = 7
        case ownersTool = 8
        case adopt = 9
        case revokeTools = 10
    }

    /// Nil for what the enclave or the journal answers.
    static func registryRequest(_ request: DeviceRequest) -> (value: PropertyValue, secrets: [SecretBox])? {
        func list(
            _ kind: RegistryKind, _ fields: [PropertyValue], _ passcode: SecretBox?
        ) -> (PropertyValue, [SecretBox]) {
            let last: PropertyValue = passcode == nil ? .null : .array([.secret(0)])
            return (.array([.integer(kind.rawValue)] + fields + [last]), passcode.map { [$0] } ?? [])
        }
        switch request {
        case .trustTeam(let key, let name, let expires, let passcode):
            return list(.trustTeam, [.data(key.bytes), .string(name), optional(expires)], passcode)
        case .revokeTeam(let team, let passcode):
            return list(.revokeTeam, [.string(team.text)], passcode)
        case .teams: return (.array([.integer(RegistryKind.teams.rawValue)]), [])
        case .applications: return (.array([.integer(RegistryKind.applications.rawValue)]), [])
        case .forgetApplication(let application, let removesItems, let passcode):
            return list(
                .forgetApplication, [.string(application), removesItems.map { .boolean($0) } ?? .null], passcode)
        case .configureApplications(let removesItems, let passcode):
            return list(.configureApplications, [.boolean(removesItems)], passcode)
        case .requireLevel(let level, let passcode):
            return list(.requireLevel, [.string(level.rawValue)], passcode)
        case .ownersTool: return (.array([.integer(RegistryKind.ownersTool.rawValue)]), [])
        case .adopt(let passcode): return list(.adopt, [], passcode)
        case .revokeTools(let passcode): return list(.revokeTools, [], passcode)
        default: return nil
        }
    }

    static func registryRequest(
        _ values: [PropertyValue], secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> DeviceRequest {
        var fields = MessageFields(values[...], secrets: secrets)
        guard let kind = RegistryKind(rawValue: try fields.integer("device request")) else {
            throw .badField("device request")
        }
        let request: DeviceRequest
        switch kind {
        case .trustTeam:
            request = .trustTeam(
                key: try key(&fields), name: try fields.text("name"), expires: try fields.optionalDate("expires"),
                passcode: try passcode(&fields, secrets))
        case .revokeTeam:
            request = .revokeTeam(try team(&fields), passcode: try passcode(&fields, secrets))
        case .teams: request = .teams
        case .applications: request = .applications
        case .forgetApplication:
            request = .forgetApplication(
                try fields.text("application"), removesItems: try fields.optionalBoolean("removes items"),
                passcode: try passcode(&fields, secrets))
        case .configureApplications:
            request = .configureApplications(
                removesItems: try fields.boolean("removes items"), passcode: try passcode(&fields, secrets))
        case .requireLevel:
            guard let level = AssuranceLevel(rawValue: try fields.text("level")) else { throw .badField("level") }
            request = .requireLevel(level, passcode: try passcode(&fields, secrets))
        case .ownersTool: request = .ownersTool
        case .adopt: request = .adopt(passcode: try passcode(&fields, secrets))
        case .revokeTools: request = .revokeTools(passcode: try passcode(&fields, secrets))
        }
        try fields.finish()
        guard secrets.isEmpty || request.registryPasscode != nil else {
            throw .badEnclaveMessage(.secretsLeft(secrets.count))
        }
        return request
    }

    /// The passcode is the one secret of the message.
    private static func passcode(
        _ fields: inout MessageFields, _ secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> SecretBox? {
        guard var part = try fields.part("passcode") else { return nil }
        let index = try part.secretIndex("passcode")
        try part.finish()
        guard secrets.count == 1 else { throw .badField("passcode") }
        return secrets[index]
    }

    private static func key(_ fields: inout MessageFields) throws(MessageCodingFailure) -> TeamPublicKey {
        guard let key = TeamPublicKey(try fields.data("key")) else { throw .badField("key") }
        return key
    }

    private static func team(_ fields: inout MessageFields) throws(MessageCodingFailure) -> TeamIdentifier {
        guard let team = TeamIdentifier(try fields.text("team")) else { throw .badField("team") }
        return team
    }

    private static func optional(_ date: Double?) -> PropertyValue {
        date.map { .date($0) } ?? .null
    }

    // Replies

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

extension DeviceRequest {
    /// The passcode of a request about teams and apps, where it came along.
    package var registryPasscode: SecretBox? {
        switch self {
        case .trustTeam(_, _, _, let passcode), .revokeTeam(_, let passcode), .forgetApplication(_, _, let passcode),
            .configureApplications(_, let passcode), .requireLevel(_, let passcode), .adopt(let passcode),
            .revokeTools(let passcode):
            passcode
        default: nil
        }
    }
}
