import Glibc
import LatchkeyBackupFormat
package import LatchkeyFileAccess

/// Something of a source that a backup holds.
struct SourceEntry: Sendable {
    enum Kind: Sendable { case directory, file, link }

    let domain: BackupDomain
    /// Without slashes at its ends; empty for the root of a domain.
    let relativePath: String
    let kind: Kind
    let stamp: FileStamp
    let birth: Int64
}

/// An entry that a backup does not hold, and why.
package struct LeftEntry: Sendable, Hashable {
    package enum Reason: Hashable, Sendable {
        /// A pipe, a socket or a device.
        case special
        case otherFileSystem
        /// The directory of a device, what stores a volume, or the backup itself.
        case excluded
        /// A property list holds text, and the name is not UTF-8.
        case nameIsNotText
        /// A path that is longer than readers take.
        case pathTooLong
        /// A file that another call is about to put into a place.
        case temporary
        /// An error of the system, with its number.
        case unreadable(Int32)
    }

    package let path: String
    package let reason: Reason
}

/// The entries below the sources of a backup, as they are now.
///
/// Links are not followed and other file systems are not entered. Entries are found through open directories.
struct SourceTree {
    static let pathByteLimit = 4096
    private static let depthLimit = 256

    private(set) var entries: [SourceEntry] = []
    private(set) var left: [LeftEntry] = []
    /// The directories above parts of a domain that were added.
    private var above: Set<FileID> = []
    private let isExcluded: (OpenDirectory) -> Bool
    private let proceed: () -> Bool

    /// - Parameters:
    ///   - isExcluded: true for a directory that is left out with everything in it.
    ///   - proceed: called often; false ends the search.
    init(
        _ sources: [BackupSource], excluding isExcluded: @escaping (OpenDirectory) -> Bool,
        proceed: @escaping () -> Bool
    ) throws(RunFailure) {
        self.isExcluded = isExcluded
        self.proceed = proceed
        for source in sources.withoutRepetition { try add(source) }
    }

    private mutating func add(_ source: BackupSource) throws(RunFailure) {
        do throws(AccessFailure) {
            var directory = try OpenDirectory(opening: source.root)
            let device = try directory.status().st_dev
            addOnce(directory, source.domain, "", try directory.status())
            // The directories above the part come along, so that a restore gives them their permissions.
            let names = FileName.parts(of: source.part)
            var path = ""
            for name in names.dropLast() {
                directory = try directory.directory(name)
                path += (path.isEmpty ? "" : "/") + name.text
                addOnce(directory, source.domain, path, try directory.status())
            }
            if let name = names.last {
                try visitEntry(name, of: directory, source.domain, path, nil, depth: 0)
            } else {
                try visit(directory, source.domain, "", device, depth: 0)
            }
        } catch {
            throw .source(source, error)
        }
        guard proceed() else { throw .cancelled }
    }

    private mutating func visit(
        _ directory: OpenDirectory, _ domain: BackupDomain, _ path: String, _ device: dev_t, depth: Int
    ) throws(AccessFailure) {
        for name in try directory.names() {
            guard proceed() else { return }
            try visitEntry(name, of: directory, domain, path, device, depth: depth)
        }
    }

    /// - Parameter device: the file system that is searched; nil for that of the entry.
    private mutating func visitEntry(
        _ name: FileName, of directory: OpenDirectory, _ domain: BackupDomain, _ above: String, _ device: dev_t?,
        depth: Int
    ) throws(AccessFailure) {
        func leave(_ reason: LeftEntry.Reason) {
            left.append(LeftEntry(path: directory.path(of: name), reason: reason))
        }
        guard let text = String(validating: name.bytes, as: UTF8.self) else { return leave(.nameIsNotText) }
        guard !text.utf8.starts(with: ".latchkey-".utf8) else { return leave(.temporary) }
        let path = above.isEmpty ? text : above + "/" + text
        guard path.utf8.count <= Self.pathByteLimit, depth < Self.depthLimit else { return leave(.pathTooLong) }
        do throws(AccessFailure) {
            // Removed meanwhile.
            guard let status = try directory.status(of: name) else { return }
            switch status.st_mode & S_IFMT {
            case S_IFDIR:
                guard device == nil || status.st_dev == device else { return leave(.otherFileSystem) }
                let inner = try directory.directory(name)
                guard !isExcluded(inner) else { return leave(.excluded) }
                add(.directory, domain, path, status)
                try visit(inner, domain, path, status.st_dev, depth: depth + 1)
            case S_IFREG: add(.file, domain, path, status)
            case S_IFLNK: add(.link, domain, path, status)
            default: leave(.special)
            }
        } catch {
            leave(.unreadable(error.number))
        }
    }

    /// Adds a directory that may be above another part, too.
    private mutating func addOnce(_ directory: OpenDirectory, _ domain: BackupDomain, _ path: String, _ status: stat) {
        guard above.insert(FileID(domain: domain, path: path)).inserted else { return }
        add(.directory, domain, path, status)
    }

    private mutating func add(_ kind: SourceEntry.Kind, _ domain: BackupDomain, _ path: String, _ status: stat) {
        entries.append(
            SourceEntry(
                domain: domain, relativePath: path, kind: kind, stamp: FileStamp(status),
                birth: Int64(min(status.st_mtim.tv_sec, status.st_ctim.tv_sec))))
    }
}
