/// The access groups of a caller, from its entitlements (Reference 6.2).
package enum AccessGroupList {
    /// A group that no write may touch.
    package static let token = "com.apple.token"
    /// Stands for every group.
    package static let everything = "*"

    /// Whether a program can own the group: the token group and the wildcard have no owner.
    package static func isOwnable(_ group: String) -> Bool {
        group != token && group != everything
    }

    /// The list in its order: keychain groups, application identifier, application groups; the token group last.
    package static func of(
        keychainGroups: [String], applicationIdentifier: String?, applicationGroups: [String]
    ) -> [String] {
        var list: [String] = []
        for group in keychainGroups + (applicationIdentifier.map { [$0] } ?? []) + applicationGroups
        where !group.isEmpty && !list.contains(group) {
            list.append(group)
        }
        guard let index = list.firstIndex(of: token) else { return list }
        list.append(list.remove(at: index))
        return list
    }

    /// What the groups end in that network extensions of different apps share.
    package static let networkExtensionSuffix = "com.apple.networkextensionsharing"

    /// - Parameter sharesNetworkExtensions: the caller has `com.apple.networkextension.keychain`.
    package static func allows(_ group: String, in list: [String], sharesNetworkExtensions: Bool = false) -> Bool {
        list.contains(group) || list.contains(everything)
            || sharesNetworkExtensions && group.hasSuffix(networkExtensionSuffix)
    }
}
