package import Glibc

/// The user and the groups as which a process makes files.
package struct FileMaker {
    package let user: uid_t
    package let groups: Set<gid_t>

    package init(user: uid_t, groups: Set<gid_t>) {
        self.user = user
        self.groups = groups
    }

    /// This process.
    package static var current: FileMaker {
        let count = getgroups(0, nil)
        var groups = [gid_t](repeating: 0, count: Int(max(0, count)))
        let found = count > 0 ? unsafe getgroups(count, &groups) : 0
        return FileMaker(user: geteuid(), groups: Set(groups.prefix(Int(max(0, found)))).union([getegid()]))
    }

    /// False if a new file of this process cannot get the owner and the group of this one.
    ///
    /// True for root, who may be refused all the same: in a container that does not know the owner.
    package func canGive(filesOf other: stat) -> Bool {
        user == 0 || other.st_uid == user && groups.contains(other.st_gid)
    }
}
