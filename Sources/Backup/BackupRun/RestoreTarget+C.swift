import Glibc
package import LatchkeyBackupFormat
package import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyKeybag

@_implementationOnly import CLatchkeyShims

/// A choice of the directory that a domain is restored into.
package enum RestoreDestination: Sendable, Hashable {
    /// A directory that the user named: links on the way to it are followed.
    case directory(String)
    /// The directory in this folder that has the name of the domain. It is never reached through a link: the name is the
    /// backup's.
    case folder(String)
}

/// The open directories that domains are restored into.
///
/// Those that the user named are opened before anything is restored: a link that the backup brings into one of them does
/// not redirect another.
struct RestoreTargets {
    private let destinations: [BackupDomain: RestoreDestination]
    private var named: [BackupDomain: RestoreTarget] = [:]
    private let isDryRun: Bool

    init(_ destinations: [BackupDomain: RestoreDestination], isDryRun: Bool) throws(RunFailure) {
        self.destinations = destinations
        self.isDryRun = isDryRun
        do throws(RunFailure) {
            for (domain, destination) in destinations.sorted(by: { $0.key < $1.key }) {
                guard case .directory(let path) = destination else { continue }
                if isDryRun, !StoredProtection.isThere(path) { continue }
                let target = try RestoreTarget(path)
                if let known = named.values.first(where: { $0.isSame(as: target) }) {
                    named[domain] = known
                } else {
                    named[domain] = target
                    if !isDryRun { try target.lock() }
                }
            }
        } catch {
            withdraw()
            throw error
        }
    }

    var domains: [BackupDomain] { destinations.keys.sorted() }

    /// For each domain the first one that goes to the same directory.
    var places: [BackupDomain: BackupDomain] {
        var firsts: [ObjectIdentifier: BackupDomain] = [:]
        var places: [BackupDomain: BackupDomain] = [:]
        for domain in domains {
            places[domain] = domain
            guard let target = named[domain] else { continue }
            let first = firsts[ObjectIdentifier(target)] ?? domain
            firsts[ObjectIdentifier(target)] = first
            places[domain] = first
        }
        return places
    }

    /// Removes the directories that were made, if they are empty: nothing is restored.
    func withdraw() {
        for target in named.values { target.removeIfMade() }
    }

    /// Returns the directory of a domain; nil in a dry run if it is not there.
    func target(of domain: BackupDomain) throws(RunFailure) -> RestoreTarget? {
        guard case .folder(let path)? = destinations[domain] else { return named[domain] }
        guard let target = try RestoreTarget(FileName(domain.name), in: path, isMade: !isDryRun) else { return nil }
        if !isDryRun { try target.lock() }
        return target
    }

    /// Returns the directory of a domain, or the one that it is to be made in; nil if neither is there.
    func existing(_ domain: BackupDomain) throws(RunFailure) -> (target: RestoreTarget, isNew: Bool)? {
        guard case .folder(let path)? = destinations[domain] else { return named[domain].map { ($0, false) } }
        guard let target = try RestoreTarget(FileName(domain.name), in: path, isMade: false) else {
            return StoredProtection.isDirectory(path) ? (try RestoreTarget(path), true) : nil
        }
        try target.lock()
        return (target, false)
    }
}

/// The directory that a domain is restored into.
///
/// Everything in it is reached through open directories, one part of a path after the other, and a link is never followed:
/// neither one that was there nor one that the backup brought.
final class RestoreTarget {
    private let root: OpenDirectory
    let path: String
    /// True if this run has made it.
    private let isMade: Bool
    /// The directory that was used last, with its path: files come in the order of their directories.
    private var last: (path: [FileName], directory: OpenDirectory)

    /// Opens a directory, and makes it if it is not there: for its owner alone.
    init(_ path: String) throws(RunFailure) {
        self.path = path
        do throws(AccessFailure) {
            var isMade = false
            if !StoredProtection.isDirectory(path) {
                isMade = unsafe mkdir(path, 0o700) == 0
                guard isMade || errno == EEXIST else { throw .system(call: "mkdir", errno: errno) }
            }
            self.isMade = isMade
            root = try OpenDirectory(opening: path)
        } catch {
            throw .target(path: path, errno: error.number)
        }
        last = ([], root)
    }

    /// Opens a directory of a folder; a link is refused. Nil if it is not there and not to be made.
    init?(_ name: FileName, in folder: String, isMade: Bool) throws(RunFailure) {
        path = FilePath.entry(name.text, of: folder)
        self.isMade = false
        do throws(AccessFailure) {
            let above = try OpenDirectory(opening: folder)
            if isMade { try above.makeDirectory(name, permissions: 0o700) }
            guard try above.status(of: name) != nil else { return nil }
            root = try above.directory(name)
        } catch {
            if !isMade, error.number == ENOENT { return nil }
            throw .target(path: path, errno: error.number)
        }
        last = ([], root)
    }

    /// Locks it against other runs that restore into it, whose unfinished files have the same names.
    func lock() throws(RunFailure) {
        // A file system without locks is used all the same.
        guard flock(root.number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
        throw .inUse(path: path)
    }

    func isSame(as other: RestoreTarget) -> Bool {
        guard let one = try? root.status(), let other = try? other.root.status() else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    /// The number of the file system; the same for all directories on it.
    var fileSystem: UInt64 { (try? root.status()).map { UInt64($0.st_dev) } ?? 0 }
    var freeByteCount: UInt64? { root.freeByteCount }
    /// True if the directory is on a mounted volume, which protects its files itself.
    var isOnVolume: Bool { withExtendedLifetime(root) { lk_file_is_on_fuse(root.number) != 0 } }

    /// - Throws: ``RunFailure/target(path:errno:)`` if nothing can be made in the directory.
    func checkWritable() throws(RunFailure) {
        let outcome = withExtendedLifetime(root) {
            unsafe faccessat(root.number, ".", W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno
        }
        guard outcome == 0 else { throw .target(path: path, errno: outcome) }
    }

    /// Removes the directory if this run has made it and it is empty.
    func removeIfMade() {
        if isMade { _ = unsafe rmdir(path) }
    }

    /// Makes everything that was restored durable.
    func synchronize() throws(RunFailure) {
        let outcome = withExtendedLifetime(root) { lk_file_synchronize_all(root.number) }
        guard outcome == 0 else { throw .target(path: path, errno: -outcome) }
    }

    /// Opens a directory below the root; empty for the root itself. Nil if it is not there and not to be made.
    func directory(_ path: String, isMade: Bool) throws(AccessFailure) -> OpenDirectory? {
        try directory(FileName.parts(of: path)[...], isMade: isMade)
    }

    private func directory(_ path: ArraySlice<FileName>, isMade: Bool) throws(AccessFailure) -> OpenDirectory? {
        if path.elementsEqual(last.path) { return last.directory }
        var directory = root
        for name in path {
            if isMade { try directory.makeDirectory(name, permissions: 0o700) }
            do throws(AccessFailure) {
                directory = try directory.directory(name)
            } catch {
                if !isMade, case .system(_, ENOENT) = error { return nil }
                throw error
            }
        }
        last = (Array(path), directory)
        return directory
    }

    /// The directory of an entry and its name there.
    func place(_ path: String, isMade: Bool) throws(AccessFailure) -> FilePlace? {
        let parts = FileName.parts(of: path)
        guard let name = parts.last else { throw .system(call: "openat", errno: EINVAL) }
        return try directory(parts.dropLast(), isMade: isMade).map { FilePlace($0, name) }
    }
}

/// Owner, permissions and times of something that is restored.
struct RestoredAttributes: Sendable {
    let mode: UInt32
    /// Nil for files of another system, whose users are not those of this machine.
    let owner: (user: UInt32, group: UInt32)?
    /// Seconds since 1970.
    let modified: Int64
    let extended: [String: [UInt8]]

    /// Gives them to an open file or directory. The owner is given if this process is root.
    ///
    /// Bits that let a program act as its owner are not restored: a backup may come from anywhere.
    func give(to descriptor: Int32) throws(AccessFailure) {
        if let owner, geteuid() == 0 { _ = fchown(descriptor, owner.user, owner.group) }
        ExtendedAttributes.set(extended, of: descriptor)
        guard fchmod(descriptor, mode & 0o1777) == 0 || errno == EPERM else {
            throw .system(call: "fchmod", errno: errno)
        }
        let time = timespec(tv_sec: Int(modified), tv_nsec: 0)
        var times = [time, time]
        _ = unsafe futimens(descriptor, &times)
    }
}

extension FilePlace {
    /// The state of the entry in this place; nil if there is none.
    func status() throws(AccessFailure) -> stat? { try directory.status(of: name) }

    /// The name of a file while it is not whole. It is the same in each run, so that the next one takes away what a killed
    /// one has left.
    private func unfinishedName(_ id: FileID) -> FileName {
        let name = FileName(".latchkey-restore-\(id)")
        directory.remove(name)
        return name
    }

    /// Puts a new file in this place, whole or not at all.
    ///
    /// - Parameters:
    ///   - id: of the file in the backup.
    ///   - protection: of a protected file; nil for one in clear.
    ///   - tie: the database that a protected file belongs to.
    ///   - body: writes the content: it calls the function that it is given with each piece, in order.
    func restore(
        _ id: FileID, _ protection: FileProtection?, tie: FileTie?, _ attributes: RestoredAttributes,
        in vault: FileVault,
        _ body: ((UnsafeRawBufferPointer) throws(AccessFailure) -> Void) throws -> Void
    ) throws {
        let temporary = unfinishedName(id)
        let descriptor = try directory.file(temporary, O_RDWR | O_CREAT | O_EXCL)
        do {
            var isOnVolume = false
            if let protection, VolumeProtection.of(descriptor) != nil {
                // Here the volume protects the file.
                try VolumeProtection.set(protection, of: descriptor)
                isOnVolume = true
            }
            var offset: UInt64 = 0
            if let protection, !isOnVolume {
                let file = try vault.make(
                    vault.newKey(protection), in: directory.file(temporary, O_RDWR), tie: tie)
                try unsafe body { piece throws(AccessFailure) in
                    try unsafe file.write(at: offset, from: piece)
                    offset += UInt64(piece.count)
                }
                try file.writeOut()
            } else {
                try unsafe body { piece throws(AccessFailure) in
                    try unsafe descriptor.write(at: offset, from: piece)
                    offset += UInt64(piece.count)
                }
            }
            try withExtendedLifetime(descriptor) { () throws(AccessFailure) in
                try attributes.give(to: descriptor.number)
            }
            try directory.rename(temporary, to: name)
        } catch {
            directory.remove(temporary)
            throw error
        }
    }

    /// Puts a link in this place, whole or not at all.
    func restore(_ id: FileID, linkTo target: String, modified: Int64) throws(AccessFailure) {
        let temporary = unfinishedName(id)
        try directory.makeLink(temporary, to: FileName(target))
        let time = timespec(tv_sec: Int(modified), tv_nsec: 0)
        directory.setTimes(ofLink: temporary, time, time)
        do throws(AccessFailure) {
            try directory.rename(temporary, to: name)
        } catch {
            directory.remove(temporary)
            throw error
        }
    }
}
