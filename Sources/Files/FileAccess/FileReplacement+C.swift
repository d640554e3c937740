import Glibc

@_implementationOnly import CLatchkeyShims

/// A new file that takes the place of another one, whole or not at all.
///
/// Until then it has no name, so that whatever ends the process leaves nothing. Where the file system has no files without
/// names, it is called `.latchkey-…`.
final class FileReplacement {
    let descriptor: OwnedDescriptor
    private let place: FilePlace
    private let former: OwnedDescriptor
    private let status: stat
    private let lease: FileLease?
    private var temporary: FileName?

    /// - Parameters:
    ///   - former: the file that is replaced.
    ///   - status: its state before its content was read.
    init(
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
        if let temporary { place.directory.remove(temporary) }
    }

    /// Gives the new file owner, permissions and attributes of the former one. Its times are given by ``takePlace()``.
    func takeOverRights() throws(ConversionFailure) {
        // Only root can give files away.
        _ = fchown(descriptor.number, status.st_uid, status.st_gid)
        let copied = unsafe lk_file_copy_attributes(
            former.number, descriptor.number, DirectoryProtection.attributePrefix)
        guard copied == 0 else { throw .access(.system(call: "fsetxattr", errno: -copied)) }
        // After the access control list, of which the mode is a part; without bits that give rights to a program.
        guard fchmod(descriptor.number, status.st_mode & 0o777) == 0 || errno == EPERM else {
            throw .access(.system(call: "fchmod", errno: errno))
        }
    }

    /// Puts the file, whose content is durable, in the place of the former one. Throws if that one has changed meanwhile.
    func takePlace() throws(ConversionFailure) {
        descriptor.setTimes(of: status)
        try requireUnchanged()
        let name = try named()
        let isSwapped = try converting { () throws(AccessFailure) in
            try place.directory.exchange(name, place.name)
        }
        if isSwapped {
            // The file that was swapped out has to be the one that was copied. A program may have replaced it, or wait to write into it.
            do throws(ConversionFailure) {
                guard isFormer(name) else { throw .changed }
                try requireUnchanged(isSwapped: true)
            } catch {
                _ = try converting { () throws(AccessFailure) in try place.directory.exchange(name, place.name) }
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

    /// A name that can be swapped with the one of the former file.
    private func named() throws(ConversionFailure) -> FileName {
        if let temporary { return temporary }
        let name = LeftoverFiles.newName(for: status)
        let outcome = unsafe lk_file_name(descriptor.number, place.directory.ownPath + "/" + name.text)
        guard outcome == 0 else { throw .access(.system(call: "linkat", errno: -outcome)) }
        temporary = name
        return name
    }

    private func isFormer(_ name: FileName) -> Bool {
        guard let found = try? place.directory.status(of: name) else { return false }
        return found.st_ino == status.st_ino && found.st_dev == status.st_dev
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
