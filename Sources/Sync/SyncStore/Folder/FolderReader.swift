internal import Glibc
internal import LatchkeyOpenFolders
internal import LatchkeySyncCore

/// Listing and reading in a folder that anything may have been put into: the work and the memory of a call are limited.
enum FolderReader {
    /// The entries of one folder that are looked at: four times what the layout allows.
    private static let entriesOfFolder = 4_096
    /// The entries that one listing looks at.
    private static let entriesOfListing = 65_536
    /// The copies of the head of one device that are listed.
    private static let copiesOfHead = 16

    /// - Parameter folder: that of the prefix.
    static func list(_ prefix: ObjectPrefix, in folder: OpenFolder) throws(SystemCallFailure) -> StoreListing {
        var listing = StoreListing()
        var left = entriesOfListing
        let first = try entries(of: folder, &left, &listing)
        if let digits = FolderLayout.groupDigits(of: prefix) {
            let groups = first.filter { entry in
                entry.kind == .folder && FixedHexadecimal.number(entry.name, digits: digits) != nil
            }
            listing.foreignCount += first.count - groups.count
            for group in groups.map(\.name).sorted() where left > 0 {
                guard let inner = try open(group, in: folder) else { continue }
                add(try entries(of: inner, &left, &listing), group: group, prefix, to: &listing)
            }
            if left == 0 { listing.isComplete = false }
        } else {
            add(first, group: nil, prefix, to: &listing)
        }
        listing.names.sort()
        if listing.names.count > StoreLimits.listedNames {
            listing.names.removeLast(listing.names.count - StoreLimits.listedNames)
            listing.isComplete = false
        }
        return listing
    }

    /// Returns nil if the folder is gone, or has become something else.
    private static func open(_ name: String, in folder: OpenFolder) throws(SystemCallFailure) -> OpenFolder? {
        do throws(SystemCallFailure) {
            return try folder.folder(name)
        } catch {
            guard error.number == ENOTDIR || error.number == ELOOP else { throw error }
            return nil
        }
    }

    private static func entries(
        of folder: OpenFolder, _ left: inout Int, _ listing: inout StoreListing
    ) throws(SystemCallFailure) -> [FolderListing.Entry] {
        let found = try folder.entries(limit: min(entriesOfFolder, left))
        left -= found.entries.count
        if !found.isComplete { listing.isComplete = false }
        return found.entries
    }

    private static func add(
        _ entries: [FolderListing.Entry], group: String?, _ prefix: ObjectPrefix, to listing: inout StoreListing
    ) {
        var copies: [DeviceIdentifier: Int] = [:]
        for entry in entries {
            guard entry.kind == .file, let name = FolderLayout.name(of: entry.name, group: group, prefix: prefix) else {
                listing.foreignCount += 1
                continue
            }
            if case .headCopy(let device, _) = name {
                copies[device, default: 0] += 1
                guard copies[device, default: 0] <= copiesOfHead else {
                    listing.foreignCount += 1
                    listing.isComplete = false
                    continue
                }
            }
            listing.names.append(name)
        }
    }

    /// - Parameter root: the folder of the circle.
    static func read(_ names: [StoreObjectName], in root: OpenFolder) throws(StoreFailure) -> StoreReading {
        var reading = StoreReading()
        var byteCount = 0
        var folder: (path: [String], folder: OpenFolder?) = ([], root)
        for (position, name) in names.enumerated() {
            let path = FolderLayout.folders(of: name)
            if path != folder.path {
                var next: OpenFolder? = root
                for part in path { next = try next?.storeFolder(part) }
                folder = (path, next)
            }
            switch try content(of: name, in: folder.folder) {
            case .missing: continue
            case .unsuitable: reading.damaged.insert(name)
            case .bytes(let bytes):
                guard StoredForm.isWhole(bytes, of: name) else {
                    // Nothing was written yet where a program made the file first and fills it later.
                    if !bytes.isEmpty { reading.damaged.insert(name) }
                    continue
                }
                if !reading.objects.isEmpty, byteCount + bytes.count > StoreLimits.messageByteCount {
                    reading.rest = Array(names[position...])
                    return reading
                }
                byteCount += bytes.count
                reading.objects[name] = bytes
            }
        }
        return reading
    }

    private static func content(
        of name: StoreObjectName, in folder: OpenFolder?
    ) throws(StoreFailure) -> FileContent {
        guard let folder else { return .missing }
        do throws(SystemCallFailure) {
            return try folder.content(of: FolderLayout.file(of: name), limit: name.byteLimit)
        } catch {
            throw StoreFailure(error)
        }
    }
}
