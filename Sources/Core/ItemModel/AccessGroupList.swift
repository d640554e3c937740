/// The access groups of a caller, from its entitlements (Reference 6.2).
package enum AccessGroupList {
    /// The group of token items. No call may write to it.
    package static let token = "com.apple.token"
    /// The entitlement's wildcard: every group.
    package static let everything = "*"

    /// True for a group that a program can own, that is, any but the token group and the wildcard.
    package static func isOwnable(_ group: String) -> Bool {
        group != token && group != everything
    }

    /// Returns the groups in the order that Apple defines: keychain groups, application identifier, application groups.
    /// The token group is always last.
    package static func of(
        keychainGroups: [String], applicationIdentifier: String?, applicationGroups: [String]
    ) -> [String] {
        var list: [String] = []
        for group in keychainGroups + (applicationIdentifier.map { [$0] } ?? []) + applicationGroups
        where !group.isEmpty && !list.contains(where: { $0.hasBytes(of: group) }) {
            list.append(group)
        }
        guard let index = list.firstIndex(of: token) else { return list }
        list.append(list.remove(at: index))
        return list
    }

    /// The suffix of groups that network extensions of different apps share.
    package static let networkExtensionSuffix = "com.apple.networkextensionsharing"

    /// - Parameter sharesNetworkExtensions: true if the caller has `com.apple.networkextension.keychain`.
    package static func allows(_ group: String, in list: [String], sharesNetworkExtensions: Bool = false) -> Bool {
        list.contains { $0.hasBytes(of: group) } || list.contains(everything)
            || sharesNetworkExtensions && group.hasSuffix(networkExtensionSuffix)
    }
}
