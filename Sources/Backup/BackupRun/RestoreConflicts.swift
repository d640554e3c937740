import LatchkeyBackupFormat

/// The entries of an index that cannot be restored beside another entry of it: a path through a file or a link, and a second
/// entry in one place. The backup is at fault, or the choice of one directory for two domains.
struct RestoreConflicts {
    /// The places of files and links.
    private var leaves: Set<FileID> = []
    /// Entries whose place has another one.
    private var repeated: Set<FileID> = []
    private let places: [BackupDomain: BackupDomain]
    /// The directory that was looked up last: entries come in the order of their directories.
    private var last: (domain: BackupDomain, path: Substring, isBlocked: Bool)?

    /// Reads the rows of the chosen domains.
    ///
    /// - Parameter places: for each chosen domain the first one that goes to the same directory, mostly itself.
    init(_ index: BackupIndex, places: [BackupDomain: BackupDomain]) throws {
        self.places = places
        for domain in places.keys.sorted() {
            try index.visit(domain: domain) { row in
                guard let record = try? row.get(), record.kind != .directory else { return true }
                let place = FileID(domain: places[domain] ?? domain, path: record.path)
                if !leaves.insert(place).inserted { repeated.insert(record.fileID) }
                return true
            }
        }
    }

    /// True if another entry is in the way of this one.
    mutating func block(_ record: FileRecord) -> Bool {
        let domain = places[record.domain] ?? record.domain
        guard record.kind == .directory else {
            return repeated.contains(record.fileID) || isBlocked(Self.parent(of: record.path[...]), domain)
        }
        return isBlocked(record.path[...], domain)
    }

    private mutating func isBlocked(_ directory: Substring, _ domain: BackupDomain) -> Bool {
        if let last, last.domain == domain, last.path.utf8.elementsEqual(directory.utf8) { return last.isBlocked }
        var path = directory
        var isBlocked = false
        while !path.isEmpty, !isBlocked {
            isBlocked = leaves.contains(FileID(domain: domain, path: String(path)))
            path = Self.parent(of: path)
        }
        last = (domain, directory, isBlocked)
        return isBlocked
    }

    private static func parent(of path: Substring) -> Substring {
        // By bytes: a combining mark behind a slash makes one character of both.
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return path[..<slash]
    }
}
