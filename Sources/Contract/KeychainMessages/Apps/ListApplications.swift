package import LatchkeyCodeSignature
package import LatchkeyEncoding

/// The programs that have used the device.
package struct ListApplications: ListedDeviceQuestion, BareKeychainQuestion {
    package static let number: Int64 = 4
    package static let traits: KeychainTraits = .repeatable
    package static let name = "list-apps"

    package init() {}

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> [RegisteredApplication] {
        try device.answer(self)
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

/// A program that has used the device.
package struct RegisteredApplication: Sendable, Hashable {
    /// As it was when it was seen last.
    package let seen: SeenApplication
    package let firstSeen: WallTime
    /// To a day.
    package let lastSeen: WallTime
    /// Items of its groups, of shared ones too; the token group and `*` aside.
    package let itemCount: Int64

    package init(seen: SeenApplication, firstSeen: WallTime, lastSeen: WallTime, itemCount: Int64) {
        self.seen = seen
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.itemCount = itemCount
    }
}

extension RegisteredApplication: ListedKeychainAnswer {
    package static let listNumber: Int64 = 6
    package static let listName = "applications"
    package static let listLimit = 4096

    package func write(to writer: inout FieldWriter) {
        seen.write(to: &writer)
        writer.date(firstSeen)
        writer.date(lastSeen)
        writer.integer(itemCount)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(
            seen: try SeenApplication(from: &fields), firstSeen: try fields.date("first seen"),
            lastSeen: try fields.date("last seen"), itemCount: try fields.count("item count"))
    }
}

extension SeenApplication {
    /// Three lists of entitlements and the application identifier at most.
    package static let groupLimit = 3 * ProgramEntitlements.groupLimit + 1

    fileprivate func write(to writer: inout FieldWriter) {
        writer.text(application)
        writer.optionalText(team?.text)
        writer.text(level.rawValue)
        writer.texts(accessGroups)
        writer.data(digest)
        writer.text(path)
    }

    fileprivate init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        application = try fields.text("application")
        let team = try fields.optionalText("team")
        self.team = team.flatMap { TeamIdentifier($0) }
        guard (team == nil) == (self.team == nil) else { throw .badField("team") }
        level = try fields.level("level")
        accessGroups = try fields.texts("groups", limit: Self.groupLimit)
        digest = try fields.data("digest")
        path = try fields.text("path")
    }
}
