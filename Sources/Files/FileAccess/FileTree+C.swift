import Glibc
import LatchkeyFileFormat

/// A directory with everything below it, or one file.
///
/// Links are not followed, and other file systems are not entered. Entries are found through open directories, so that a
/// tree that is changed meanwhile leads nowhere else.
package struct FileTree: Sendable {
    /// Something that was found.
    package enum Entry {
        /// A directory, before its entries.
        case directory(OpenDirectory)
        case file(FilePlace, TreeFile)
        /// An entry that is not used, with its path for people.
        case left(String, LeftReason)
    }

    private enum Root: Sendable {
        case directory(OpenDirectory)
        case file(FilePlace)
    }

    private let root: Root

    /// The directory or file that a path leads to, links followed.
    package init(_ path: String) throws(AccessFailure) {
        if StoredProtection.isDirectory(path) {
            root = .directory(try OpenDirectory(opening: path))
        } else {
            root = .file(try FilePlace(ofFileAt: path))
        }
    }

    /// True for the root of all files.
    package var isEverything: Bool {
        guard case .directory(let directory) = root, let own = try? directory.status() else { return false }
        var top = stat()
        return unsafe stat("/", &top) == 0 && top.st_ino == own.st_ino && top.st_dev == own.st_dev
    }

    /// Calls `visit` with all entries, each directory's in the order of their names, until it returns false.
    ///
    /// - Parameter isExcluded: true for a directory that is left out with everything in it.
    package func visit(
        excluding isExcluded: (OpenDirectory) -> Bool, _ visit: (Entry) -> Bool
    ) throws(AccessFailure) {
        switch root {
        case .file(let place):
            guard let status = try place.directory.status(of: place.name) else {
                throw .system(call: "fstatat", errno: ENOENT)
            }
            _ = visit(Self.entry(place, status))
        case .directory(let directory):
            let device = try directory.status().st_dev
            _ = Self.visit(directory, device, isExcluded, visit)
        }
    }

    /// Returns false if the visitor wanted no more.
    private static func visit(
        _ directory: OpenDirectory, _ device: dev_t, _ isExcluded: (OpenDirectory) -> Bool, _ visit: (Entry) -> Bool
    ) -> Bool {
        guard !isExcluded(directory) else { return visit(.left(directory.path, .device)) }
        let names: [FileName]
        do throws(AccessFailure) {
            names = try directory.names()
        } catch {
            return visit(.left(directory.path, .unreadable(error.number)))
        }
        guard visit(.directory(directory)) else { return false }
        for name in names {
            let place = FilePlace(directory, name)
            do throws(AccessFailure) {
                // Removed meanwhile.
                guard let status = try directory.status(of: name) else { continue }
                guard status.st_mode & S_IFMT == S_IFDIR else {
                    guard visit(Self.entry(place, status)) else { return false }
                    continue
                }
                guard status.st_dev == device else {
                    guard visit(.left(place.path, .otherFileSystem)) else { return false }
                    continue
                }
                guard Self.visit(try directory.directory(name), device, isExcluded, visit) else { return false }
            } catch {
                guard visit(.left(place.path, .unreadable(error.number))) else { return false }
            }
        }
        return true
    }

    private static func entry(_ place: FilePlace, _ status: stat) -> Entry {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .file(place, TreeFile(place, status))
        case S_IFLNK: .left(place.path, .link)
        default: .left(place.path, .special)
        }
    }
}

/// A regular file of a tree, and what can be done with it.
package enum TreeFile: Sendable {
    /// A file in clear that can be protected.
    case clear(byteCount: UInt64)
    /// A file with a class, which can be changed.
    case protected(StoredProtection, byteCount: UInt64)
    case left(LeftReason)
    /// A file that a conversion left behind because it was killed.
    case leftover

    fileprivate init(_ place: FilePlace, _ status: stat) {
        guard !LeftoverFiles.isNamed(place.name) else {
            self = .leftover
            return
        }
        guard !place.name.bytes.starts(with: ".latchkey-".utf8) else {
            self = .left(.temporary)
            return
        }
        do throws(AccessFailure) {
            let descriptor = try place.directory.file(place.name)
            let stored = try StoredProtection(of: descriptor)
            if stored != .clear {
                self = .protected(stored, byteCount: try descriptor.contentLength)
            } else if let obstacle = Self.obstacle(descriptor, status) {
                self = .left(obstacle)
            } else {
                self = .clear(byteCount: UInt64(max(0, status.st_size)))
            }
        } catch {
            switch error {
            // An error of the disk says nothing of the header.
            case .file(.backing): self = .left(.unreadable(error.number))
            case .file: self = .left(.damagedHeader)
            default: self = .left(.unreadable(error.number))
            }
        }
    }

    package var byteCount: UInt64 {
        switch self {
        case .clear(let byteCount), .protected(_, let byteCount): byteCount
        case .left, .leftover: 0
        }
    }

    /// The reason why a file keeps its form, protected or in clear; nil if there is none.
    static func obstacle(_ descriptor: OwnedDescriptor, _ status: stat) -> LeftReason? {
        guard status.st_nlink == 1 else { return .otherNames }
        guard status.st_mode & 0o7000 == 0 else { return .programRights }
        guard FileMaker.current.canGive(filesOf: status) else { return .otherOwner }
        do throws(ConversionFailure) {
            _ = try FileLease(descriptor)
            return nil
        } catch {
            return .openForWriting
        }
    }
}

/// A reason for which an entry of a tree is left as it is.
package enum LeftReason: Hashable, Sendable {
    case link
    case special
    case otherFileSystem
    /// A directory of a device: without its files no protected file could be read.
    case device
    /// The file has other hard links, which would keep the former content.
    case otherNames
    /// The file has a bit that gives rights to a program.
    case programRights
    /// The file is of another user or group, and would become the caller's.
    case otherOwner
    case openForWriting
    /// A file that another call is about to put into a place.
    case temporary
    /// A file that a conversion left behind because it was killed, and that stays.
    case leftover
    case damagedHeader
    /// An error of the system, with its number.
    case unreadable(Int32)
}

extension AccessFailure {
    /// The number of the system's error; `EIO` where there is none.
    package var number: Int32 {
        switch self {
        case .system(_, let number): number
        case .inUse: EBUSY
        case .refused: EPERM
        case .file(.backing(.system(let number))): number
        case .file(.backing(.noSpace)): ENOSPC
        case .file(.backing(.readOnly)): EROFS
        case .file, .notProtected, .unknownClass: EIO
        }
    }
}
