internal import LatchkeyOpenFolders
package import LatchkeySyncCore

/// The circles in a folder that the user names, for instance one that a synchronizing program copies.
package struct FolderCircles: CircleStores {
    private let place: FolderPlace
    private let options: FolderOptions
    private static let entryLimit = 4 * StoreLimits.circles

    /// - Parameter path: a folder that exists. Links in the path are followed, none below it.
    package init(in path: String, options: FolderOptions = FolderOptions()) {
        place = FolderPlace(path: path)
        self.options = options
    }

    package func circles() throws(StoreFailure) -> [CircleIdentifier] {
        guard let top = try place.open([FolderLayout.top]) else { return [] }
        do throws(SystemCallFailure) {
            let entries = try top.entries(limit: Self.entryLimit).entries
            let circles = entries.filter { $0.kind == .folder }.compactMap { CircleIdentifier(hexadecimal: $0.name) }
            return Array(circles.sorted().prefix(StoreLimits.circles))
        } catch {
            throw StoreFailure(error)
        }
    }

    package func store(of circle: CircleIdentifier, writer: DeviceIdentifier) -> any SyncStore {
        FolderStore(in: place, circle: circle, writer: writer, options: options)
    }
}
