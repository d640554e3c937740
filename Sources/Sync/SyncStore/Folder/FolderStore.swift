internal import LatchkeyOpenFolders
package import LatchkeySyncCore
package import LatchkeyThreading

/// The objects of a circle as files (`Docs/Formats/sync.md`, "Folder").
///
/// Other programs and other machines write into the folder, and anything may be in it. Names that are not exactly those of objects are
/// ignored and counted; links, pipes and files above the limit of their kind are never opened.
package final class FolderStore: SyncStore {
    private let place: FolderPlace
    private let circle: CircleIdentifier
    private let writer: DeviceIdentifier
    private let options: FolderOptions
    private let watch: FolderWatch
    private let temporaries: FolderTemporaries

    init(in place: FolderPlace, circle: CircleIdentifier, writer: DeviceIdentifier, options: FolderOptions) {
        self.place = place
        self.circle = circle
        self.writer = writer
        self.options = options
        watch = FolderWatch(own: .head(writer), options: options)
        temporaries = FolderTemporaries(of: writer, seconds: options.temporarySeconds)
    }

    /// - Parameters:
    ///   - path: a folder that exists. Links in the path are followed, none below it.
    ///   - writer: the device of this process.
    package convenience init(
        in path: String, circle: CircleIdentifier, writer: DeviceIdentifier, options: FolderOptions = FolderOptions()
    ) {
        self.init(in: FolderPlace(path: path), circle: circle, writer: writer, options: options)
    }

    private var path: [String] { [FolderLayout.top, "\(circle)"] }

    package func list(_ prefix: ObjectPrefix) throws(StoreFailure) -> StoreListing {
        guard let folder = try place.open(path + FolderLayout.folders(of: prefix)) else { return StoreListing() }
        do throws(SystemCallFailure) {
            return try FolderReader.list(prefix, in: folder)
        } catch {
            throw StoreFailure(error)
        }
    }

    package func read(_ names: [StoreObjectName]) throws(StoreFailure) -> StoreReading {
        guard let root = try place.open(path) else { return StoreReading() }
        return try FolderReader.read(names, in: root)
    }

    package func create(_ objects: [StoreObjectName: [UInt8]]) throws(StoreFailure) {
        guard !objects.isEmpty else { return }
        let batch = try FolderBatch(in: place, path, temporaries)
        try batch.create(objects)
        try batch.synchronize()
    }

    package func publish(
        _ objects: [StoreObjectName: [UInt8]], head: [UInt8], replacing replaced: HeadMark?
    ) throws(StoreFailure) -> HeadMark {
        let batch = try FolderBatch(in: place, path, temporaries)
        let name = StoreObjectName.head(writer)
        let replacement = HeadReplacement(of: head, named: name, expecting: replaced)
        if !objects.isEmpty {
            _ = try replacement.isNeeded(over: batch.bytes(of: name))
            try batch.create(objects)
            try batch.synchronize()
        }
        try batch.replace(name, with: head, by: replacement)
        try batch.synchronize()
        return replacement.mark
    }

    package func remove(_ names: [StoreObjectName]) throws(StoreFailure) {
        guard let root = try place.open(path) else { return }
        for name in names {
            var folders = [root]
            for part in FolderLayout.folders(of: name) {
                guard let next = try folders.last?.storeFolder(part) else { break }
                folders.append(next)
            }
            let parts = FolderLayout.folders(of: name)
            guard folders.count == parts.count + 1, let folder = folders.last else { continue }
            do throws(SystemCallFailure) {
                try folder.remove(FolderLayout.file(of: name))
            } catch {
                throw StoreFailure(error)
            }
            guard FolderLayout.groupDigits(of: name.prefix) != nil else { continue }
            folders[parts.count - 1].removeFolderIfEmpty(parts[parts.count - 1])
        }
    }

    package func waitForHint(until end: Cancellation) throws(StoreFailure) -> StoreHint {
        while true {
            let root = try place.open(path)
            if try watch.look(at: root) { return .changed }
            guard !end.isOver else { return .none }
            let isRemote = root?.isRemote ?? false
            let seconds = isRemote ? options.remotePollSeconds : options.localPollSeconds
            let event = watch.wait(until: end, atMost: seconds)
            guard event != .none else { continue }
            // The state at the time of the hint is not a change when it is looked at next.
            if event == .folders || isRemote || !watch.noteReported() { _ = try? watch.look(at: place.open(path)) }
            return .changed
        }
    }
}
