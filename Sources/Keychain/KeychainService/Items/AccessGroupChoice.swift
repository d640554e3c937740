import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The access groups that a call may use (Reference 6.2).
enum AccessGroupChoice {
    /// Refuses callers that may not use the keychain at all.
    static func checkCaller(_ caller: Caller) throws(Setback) {
        if caller.isDenied {
            throw .call(.notAvailable, .keychainDenied)
        }
        if caller.isAppClip {
            let groups = caller.accessGroups.filter { $0 != AccessGroupList.token }
            guard groups == [caller.application ?? caller.name] else { throw .call(.appClipGroups) }
        }
        guard caller.accessGroups.isEmpty else { return }
        guard let refusal = caller.refusal else { throw .call(.noGroups) }
        throw .call(CallFailure(.missingEntitlement, refusal))
    }

    /// Returns the groups to search; nil for a caller that may see every group.
    static func searched(_ query: ItemQuery, _ caller: Caller, writing: Bool) throws(Setback) -> [String]? {
        if let group = query.accessGroup {
            try check(group, caller, writing: writing)
            return [group]
        }
        if writing { try checkWritable(caller) }
        if caller.accessGroups.contains(AccessGroupList.everything) { return nil }
        return writing ? caller.accessGroups.filter { $0 != AccessGroupList.token } : caller.accessGroups
    }

    /// Returns the group of a new item: the named one, otherwise the first that can be written.
    static func forAdding(_ query: ItemQuery, _ caller: Caller) throws(Setback) -> String {
        if let group = query.accessGroup {
            try check(group, caller, writing: true)
            return group
        }
        let writable = caller.accessGroups.first { $0 != AccessGroupList.everything && $0 != AccessGroupList.token }
        guard let writable else { throw .call(.foreignGroup(caller.accessGroups.first ?? "")) }
        return writable
    }

    static func check(_ group: String, _ caller: Caller, writing: Bool) throws(Setback) {
        guard
            AccessGroupList.allows(
                group, in: caller.accessGroups, sharesNetworkExtensions: caller.sharesNetworkExtensions)
        else { throw .call(.foreignGroup(group)) }
        if writing, group == AccessGroupList.token { throw .call(.foreignGroup(group)) }
    }

    private static func checkWritable(_ caller: Caller) throws(Setback) {
        guard caller.accessGroups.contains(where: { $0 != AccessGroupList.token }) else {
            throw .call(.foreignGroup(AccessGroupList.token))
        }
    }
}
