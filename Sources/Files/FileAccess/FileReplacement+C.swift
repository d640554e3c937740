package import Glibc

@_implementationOnly import CLatchkeyShims

/// A new file that takes the place of another one, whole or not at all.
///
/// Until then it has no name, so that whatever ends the process leaves nothing. Where the file system has no files without
/// names, it is called `.latchkey-…`.
package final class FileReplacement {
    package let descriptor: OwnedDescriptor
    private let place: FilePlace
    private let former: OwnedDescriptor
    private let status: stat
    private let lease: FileLease?
    private var temporary: FileName?
    /// Called when the two files have changed places, before that is verified.
    package var testOnlyAfterExchange: (() -> Void)?

    /// - Parameters:
    ///   - former: the file that is replaced.
    ///   - status: its state before its content was read.
    package init(
        _ place: FilePlace, former: OwnedDescriptor, _ status: stat, _ lease: FileLease?
    ) throws(ConversionFailure) {
        self.place = place
        self.former = former
        self.status = status
        self.lease = lease
        let unnamed = unsafe lk_file_open_unnamed(place.directory.ownPath)
        if unnamed >= 0 {
            descriptor = OwnedDescriptor(owning: unnamed)
            temporary = nil
        } else {
            guard unnamed == -EOPNOTSUPP else { throw .access(.system(call: "open", errno: -unnamed)) }
            let name = LeftoverFiles.newName(for: status)
            descriptor = try converting { () throws(AccessFailure) in
                try place.directory.file(name, O_RDWR | O_CREAT | O_EXCL)
            }
            temporary = name
        }
        // Tells others that it is in use, under whatever name.
        try converting { () throws(AccessFailure) in try descriptor.lock(alone: true) }
    }

    deinit {
        // Under this name a swap may have left the only copy of another file.
        if let temporary, isOwn(temporary) { place.directory.remove(temporary) }
    }

    /// Gives the new file owner, permissions and attributes of the former one. Its times are given by ``takePlace()``.
    func takeOverRights() throws(ConversionFailure) {
        guard try converting({ () throws(AccessFailure) in try descriptor.takeOverOwner(of: status) }) else {
            throw .obstacle(.otherOwner)
        }
        let copied = unsafe lk_file_copy_attributes(
            former.number, descriptor.number, DirectoryProtection.attributePrefix)
        guard copied == 0 else { throw .access(.system(call: "fsetxattr", errno: -copied)) }
        // After the access control list, of which the mode is a part; without bits that give rights to a program.
        guard fchmod(descriptor.number, status.st_mode & 0o777) == 0 || errno == EPERM else {
            throw .access(.system(call: "fchmod", errno: errno))
        }
    }

    /// Puts the file, whose content is durable, in the place of the former one. Throws if that one has changed meanwhile.
    package func takePlace() throws(ConversionFailure) {
        descriptor.setTimes(of: status)
        try requireUnchanged()
        let name = try named()
        let isSwapped = try converting { () throws(AccessFailure) in
            try place.directory.exchange(name, place.name)
        }
        if isSwapped {
            testOnlyAfterExchange?()
            // The file that was swapped out has to be the one that was copied. A program may have replaced it, or wait to write into it.
            do throws(ConversionFailure) {
                guard isFormer(name) else { throw .changed }
                try requireUnchanged(isSwapped: true)
            } catch {
                try giveBack(name)
                throw error
            }
            place.directory.remove(name)
        } else {
            guard isFormer(place.name) else { throw .changed }
            try converting { () throws(AccessFailure) in try place.directory.rename(name, to: place.name) }
        }
        temporary = nil
        try converting { () throws(AccessFailure) in try place.directory.synchronize() }
    }

    /// Swaps the two names again. A file that cannot go back stays where it is, and the failure names it.
    private func giveBack(_ name: FileName) throws(ConversionFailure) {
        let kept = ConversionFailure.kept(path: place.directory.path(of: name))
        guard isOwn(place.name), (try? place.directory.exchange(name, place.name)) == true else { throw kept }
        guard !isOwn(name) else { return }
        // A program has put its file in the place just before: that one is the latest, and gets its place back.
        _ = try? place.directory.exchange(name, place.name)
        throw kept
    }

    /// A name that can be swapped with the one of the former file.
    private func named() throws(ConversionFailure) -> FileName {
        if let temporary { return temporary }
        let name = LeftoverFiles.newName(for: status)
        let outcome = unsafe lk_file_name(descriptor.number, place.directory.ownPath + "/" + name.text)
        guard outcome == 0 else { throw .access(.system(call: "linkat", errno: -outcome)) }
        temporary = name
        return name
    }

    private func isFormer(_ name: FileName) -> Bool { isNamed(name, status) }

    /// True if this is the name of the new file.
    private func isOwn(_ name: FileName) -> Bool {
        guard let own = try? descriptor.status() else { return false }
        return isNamed(name, own)
    }

    private func isNamed(_ name: FileName, _ file: stat) -> Bool {
        guard let found = try? place.directory.status(of: name) else { return false }
        return found.st_ino == file.st_ino && found.st_dev == file.st_dev
    }

    /// - Parameter isSwapped: true after a change of the names, which alone does not count.
    func requireUnchanged(isSwapped: Bool = false) throws(ConversionFailure) {
        if let lease, !lease.isWhole { throw .openForWriting }
        let now = try converting { () throws(AccessFailure) in try former.status() }
        guard now.st_size == status.st_size, now.isFromSameTime(as: status),
            isSwapped || now.st_ctim == status.st_ctim
        else { throw .changed }
    }
}

extension OwnedDescriptor {
    /// Gives the file the owner and the group of another one. False if the system does not allow that: only root can
    /// give files away.
    func takeOverOwner(of other: stat) throws(AccessFailure) -> Bool {
        _ = fchown(number, other.st_uid, other.st_gid)
        let own = try status()
        return own.st_uid == other.st_uid && own.st_gid == other.st_gid
    }

    /// Gives the file owner, group, access control list and permissions of another one. Refused if the system does not
    /// give it away.
    func takeOverRights(of former: stat, under path: String) throws(AccessFailure) {
        guard try takeOverOwner(of: former) else { throw .system(call: "fchown", errno: EPERM) }
        try takeOverAccessList(ofFileAt: path)
        guard fchmod(number, former.st_mode & 0o777) == 0 || errno == EPERM else {
            throw .system(call: "fchmod", errno: errno)
        }
    }

    /// Gives the file the access control list of another one, or none: the folder may have given it one.
    func takeOverAccessList(ofFileAt path: String) throws(AccessFailure) {
        let outcome = unsafe lk_file_take_access_list(path, number)
        guard outcome == 0 else { throw .system(call: "fsetxattr", errno: -outcome) }
    }

    /// Gives the file the times of another one, or of its own former state. Another user's file keeps its own.
    func setTimes(of status: stat) {
        var times = [status.st_atim, status.st_mtim]
        _ = unsafe futimens(number, &times)
    }
}

extension stat {
    /// True if both files were changed at the same time.
    func isFromSameTime(as other: stat) -> Bool { st_mtim == other.st_mtim }
}

extension timespec {
    fileprivate static func == (one: timespec, other: timespec) -> Bool {
        one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec
    }
}
