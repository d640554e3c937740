package import Glibc

/// The kind of file that a path must lead to.
///
/// A journal lies in the folder of its database, where another user may have put something else under its name: a link, or
/// one more name of a file elsewhere. It is opened by its name alone, so that is all there is to recognise it by.
package enum FileExpectation: Sendable {
    /// Links are followed.
    case anyFile
    /// A file with this name alone and no link. For root it belongs to root or to this user, because root can open every
    /// file and others cannot lose what is theirs.
    case ownFile(ofUser: uid_t)

    var openingFlags: Int32 {
        switch self {
        case .anyFile: 0
        case .ownFile: O_NOFOLLOW
        }
    }

    func check(_ descriptor: OwnedDescriptor) throws(AccessFailure) {
        guard case .ownFile(let user) = self else { return }
        let status = try descriptor.status()
        guard status.st_nlink <= 1 else { throw .system(call: "open", errno: EMLINK) }
        guard geteuid() != 0 || status.st_uid == 0 || status.st_uid == user else {
            throw .system(call: "open", errno: EPERM)
        }
    }
}
