import LatchkeyBackupFormat
import LatchkeyBackupRun
import Testing

/// The names are those that iOS gives: of access groups TEAM.name or group.name, of domains AppDomain-name.
@Suite("Apps of a backup") struct BackupAppsTests {
    private let apps = BackupApps(installed: ["com.example.app", "com.example.app.reader", "org.example", ""])

    @Test(
        "an access group belongs to the app with the longest name that begins it",
        arguments: [
            ("ABCDE12345.com.example.app", "com.example.app"),
            ("ABCDE12345.com.example.app.shared", "com.example.app"),
            ("ABCDE12345.com.example.app.reader.cache", "com.example.app.reader"),
            ("group.com.example.app", "com.example.app"),
            ("ABCDE12345.group.com.example.app.x", "com.example.app"),
            // No installed app: it stands for itself, without its team.
            ("ABCDE12345.com.example.application", "com.example.application"),
            ("ABCDE12345.shared", "shared"),
            ("group.net.other", "group.net.other"),
            ("com.apple.cfnetwork", "com.apple.cfnetwork"),
            ("apple", "apple"),
            // No prefix of a team.
            ("abcde12345.com.example.app", "abcde12345.com.example.app"),
            ("ABCDE12345.", "ABCDE12345."), ("ABCDE12345", "ABCDE12345"), ("", ""),
        ])
    func group(_ group: String, _ app: String) {
        #expect(apps.app(ofGroup: group) == app)
    }

    @Test(
        "a domain of an app belongs to it, and one of the system stands for itself",
        arguments: [
            ("AppDomain-com.example.app", "com.example.app"),
            ("AppDomainPlugin-com.example.app.widget", "com.example.app"),
            ("AppDomainGroup-group.com.example.app", "com.example.app"),
            ("AppDomainGroup-group.net.other", "group.net.other"),
            ("AppDomain-net.other", "net.other"), ("AppDomain-", "AppDomain-"),
            ("HomeDomain", "HomeDomain"), ("CameraRollDomain", "CameraRollDomain"), ("", ""),
        ])
    func domain(_ domain: String, _ app: String) {
        #expect(apps.app(ofDomain: domain) == app)
    }
}
