import LatchkeyItemModel
import Testing

/// The caller's groups and their order: Reference 6.2.
@Suite struct AccessGroupListTests {
    private struct Entitlements: Sendable {
        var keychain: [String] = []
        var application: String?
        var applications: [String] = []
        var list: [String]
    }

    private static let table: [Entitlements] = [
        Entitlements(
            keychain: ["k1", "k2"], application: "app", applications: ["a1"], list: ["k1", "k2", "app", "a1"]),
        Entitlements(application: "app", applications: ["a1", "a2"], list: ["app", "a1", "a2"]),
        Entitlements(keychain: ["app", "k"], application: "app", list: ["app", "k"]),
        Entitlements(keychain: ["com.apple.token", "k"], application: "app", list: ["k", "app", "com.apple.token"]),
        Entitlements(keychain: ["com.apple.token"], list: ["com.apple.token"]),
        Entitlements(keychain: ["", "k"], application: "", applications: [""], list: ["k"]),
        Entitlements(list: []),
    ]

    @Test("keychain groups, then the application, then its groups; the token group last", arguments: table)
    private func order(_ row: Entitlements) {
        let list = AccessGroupList.of(
            keychainGroups: row.keychain, applicationIdentifier: row.application, applicationGroups: row.applications)
        #expect(list == row.list)
    }

    private static let membershipRows: [(group: String, list: [String], isAllowed: Bool)] = [
        ("a", ["a", "b"], true), ("c", ["a", "b"], false), ("c", ["*"], true), ("c", ["a", "*"], true),
        ("a", [], false),
        ("A", ["a"], false), ("", ["a"], false),
        // Equivalent, and another group.
        ("group.\u{F6}", ["group.o\u{308}"], false), ("group.o\u{308}", ["group.o\u{308}"], true),
    ]

    @Test("a group is allowed by name or by the star", arguments: membershipRows)
    func membership(_ row: (group: String, list: [String], isAllowed: Bool)) {
        #expect(AccessGroupList.allows(row.group, in: row.list) == row.isAllowed)
    }
}
