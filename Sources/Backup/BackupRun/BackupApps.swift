package import LatchkeyBackupFormat

/// The apps of a backup: each access group and each domain belongs to one, by the names that iOS gives them.
package struct BackupApps: Sendable {
    private static let teamCharacterCount = 10
    private static let domainKinds = ["AppDomain-", "AppDomainGroup-", "AppDomainPlugin-"]
    private static let groupPrefix = "group."

    /// Bundle identifiers, the longest first.
    private let installed: [String]

    package init(_ manifest: BackupManifest) {
        self.init(installed: manifest.applications.map(\.identifier))
    }

    package init(installed: [String]) {
        self.installed = installed.filter { !$0.isEmpty }.sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
    }

    /// The app of an access group: `ABCDE12345.com.example.app`, `ABCDE12345.com.example.app.shared` and
    /// `group.com.example.app` belong to `com.example.app` if that was installed. A group of no such app stands for itself,
    /// without the prefix of its team.
    package func app(ofGroup group: String) -> String {
        app(ofName: Self.withoutTeam(group))
    }

    /// The app of a domain; a domain of the system stands for itself.
    package func app(ofDomain domain: String) -> String {
        guard let kind = Self.domainKinds.first(where: { domain.hasPrefix($0) }) else { return domain }
        let name = String(domain.dropFirst(kind.count))
        return name.isEmpty ? domain : app(ofName: name)
    }

    private func app(ofName name: String) -> String {
        let bare = name.hasPrefix(Self.groupPrefix) ? String(name.dropFirst(Self.groupPrefix.count)) : name
        return installed.first { bare == $0 || bare.hasPrefix($0 + ".") } ?? name
    }

    private static func withoutTeam(_ group: String) -> String {
        let prefix = group.utf8.prefix(teamCharacterCount)
        let isTeam =
            prefix.count == teamCharacterCount
            && prefix.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
            }
        let rest = group.utf8.dropFirst(teamCharacterCount)
        guard isTeam, rest.first == UInt8(ascii: "."), rest.count > 1 else { return group }
        return String(decoding: rest.dropFirst(), as: UTF8.self)
    }
}
