/// The access groups whose items a transaction has changed, for those who follow the items.
package struct ChangedGroups: Sendable, Equatable {
    /// The names as UTF-8: two names are the same only if their bytes are.
    package private(set) var groups: Set<[UInt8]> = []
    /// True if the items of all groups are gone.
    package private(set) var isEverything = false

    package init(groups: Set<[UInt8]> = [], isEverything: Bool = false) {
        self.groups = groups
        self.isEverything = isEverything
    }

    package var isEmpty: Bool { groups.isEmpty && !isEverything }

    mutating func add(_ group: String) {
        groups.insert(Array(group.utf8))
    }

    mutating func addEverything() {
        isEverything = true
    }
}
