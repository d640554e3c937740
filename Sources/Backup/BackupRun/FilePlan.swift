package import LatchkeyBackupFormat
package import LatchkeyFileAccess
package import LatchkeyKeybag

/// The files that a backup of some sources would hold, counted without reading their content.
package struct FilePlan: Sendable {
    /// The files of one class in one domain.
    package struct Row: Hashable, Sendable {
        package let domain: BackupDomain
        /// Nil for files in clear.
        package let protection: FileProtection?
        package fileprivate(set) var count = 0
        /// Of the content, as programs see it.
        package fileprivate(set) var byteCount: UInt64 = 0
    }

    /// By domain and class.
    package private(set) var rows: [Row] = []
    package private(set) var directoryCount = 0
    package private(set) var linkCount = 0
    package private(set) var left: [LeftEntry] = []

    /// - Parameters:
    ///   - isExcluded: true for a directory that is left out with everything in it.
    ///   - proceed: is told the bytes of each file, and returns false to end.
    package init(
        _ sources: [BackupSource], excluding isExcluded: @escaping (OpenDirectory) -> Bool,
        proceed: @escaping (UInt64) -> Bool
    ) throws(RunFailure) {
        var isWanted = true
        let tree = try SourceTree(sources, excluding: isExcluded) {
            isWanted = isWanted && proceed(0)
            return isWanted
        }
        left = tree.left
        var counted: [Key: Row] = [:]
        let finder = SourceFinder(sources)
        for entry in tree.entries {
            switch entry.kind {
            case .directory: directoryCount += 1
            case .link: linkCount += 1
            case .file:
                do throws(AccessFailure) {
                    let place = try finder.place(of: entry)
                    let descriptor = try place.directory.file(place.name)
                    let length = try descriptor.contentLength
                    let key = Key(
                        domain: entry.domain, protection: try StoredProtection(of: descriptor).protection)
                    counted[key, default: Row(domain: key.domain, protection: key.protection)].add(length)
                    isWanted = isWanted && proceed(length)
                } catch {
                    left.append(LeftEntry(path: finder.path(of: entry), reason: .unreadable(error.number)))
                }
            }
            guard isWanted else { throw .cancelled }
        }
        rows = counted.values.sorted { ($0.domain, $0.order) < ($1.domain, $1.order) }
    }

    private struct Key: Hashable {
        let domain: BackupDomain
        let protection: FileProtection?
    }
}

extension FilePlan.Row {
    /// Files in clear first, then by class.
    fileprivate var order: UInt8 { protection?.keyClass.rawValue ?? 0 }

    fileprivate mutating func add(_ length: UInt64) {
        count += 1
        byteCount += length
    }
}

/// Finds entries of sources again, through open directories.
final class SourceFinder {
    private let roots: [BackupDomain: String]
    /// The directory that was used last: entries come in the order of their directories.
    private var last: (domain: BackupDomain, path: [FileName], directory: OpenDirectory)?

    init(_ sources: [BackupSource]) {
        roots = Dictionary(sources.map { ($0.domain, $0.root) }) { one, _ in one }
    }

    /// For people.
    func path(of entry: SourceEntry) -> String {
        let root = roots[entry.domain] ?? ""
        return entry.relativePath.isEmpty ? root : root + (root == "/" ? "" : "/") + entry.relativePath
    }

    /// The directory of an entry and its name there.
    func place(of entry: SourceEntry) throws(AccessFailure) -> FilePlace {
        let parts = FileName.parts(of: entry.relativePath)
        return FilePlace(try directory(parts.dropLast(), of: entry.domain), parts.last ?? FileName("."))
    }

    /// A directory of a domain.
    func directory(_ path: String, of domain: BackupDomain) throws(AccessFailure) -> OpenDirectory {
        try directory(FileName.parts(of: path)[...], of: domain)
    }

    private func directory(_ path: ArraySlice<FileName>, of domain: BackupDomain) throws(AccessFailure) -> OpenDirectory
    {
        if let last, last.domain == domain, path.elementsEqual(last.path) { return last.directory }
        var directory = try OpenDirectory(opening: roots[domain] ?? "/")
        for name in path { directory = try directory.directory(name) }
        last = (domain, Array(path), directory)
        return directory
    }
}
