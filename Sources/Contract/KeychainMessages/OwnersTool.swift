/// The owner's tool of a device, as the program that asks is told.
package struct OwnersTool: Sendable, Hashable {
    /// Whether the program that asks is the tool.
    package let isCaller: Bool
    /// The path of the tool that the daemon knows; nil for a device without a daemon, and where the file was removed.
    package let path: String?
    /// The groups of items that the tool kept under the path of its file instead of in the owner's group.
    package let formerHomes: [FormerHome]

    package init(isCaller: Bool, path: String?, formerHomes: [FormerHome]) {
        self.isCaller = isCaller
        self.path = path
        self.formerHomes = formerHomes
    }
}

/// The private group of a tool that was known by its path.
package struct FormerHome: Sendable, Hashable {
    package let accessGroup: String
    /// Nil where the device did not note which program that was.
    package let path: String?
    package let itemCount: Int64

    package init(accessGroup: String, path: String?, itemCount: Int64) {
        self.accessGroup = accessGroup
        self.path = path
        self.itemCount = itemCount
    }
}

/// The result of moving the items of the former homes.
package struct Adoption: Sendable, Hashable {
    /// Items that are in the owner's group now.
    package var moved: Int64 = 0
    /// Their protection class is locked.
    package var locked: Int64 = 0
    /// They ask for a person.
    package var guarded: Int64 = 0
    /// The owner's group has an item of the same name.
    package var duplicate: Int64 = 0
    /// Anything else: damage, a full disk.
    package var failed: Int64 = 0

    package init() {}

    /// Items that stay where they were. The owner's tool finds them there.
    package var left: Int64 { locked + guarded + duplicate + failed }

    package static func + (first: Adoption, second: Adoption) -> Adoption {
        var sum = first
        sum.moved += second.moved
        sum.locked += second.locked
        sum.guarded += second.guarded
        sum.duplicate += second.duplicate
        sum.failed += second.failed
        return sum
    }
}
